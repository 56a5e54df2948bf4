package dev.orrery.storage.chronicle;

/**
 * What identifies a document inside its collection, as bytes.
 *
 * @param epk the effective partition key that decides on the physical partition
 * @param bytes partition key and {@code _id}, encoded
 * @param logicalKey effective and encoded partition key, under which the size of the logical
 *     partition is counted; null in a collection without a partition key
 */
record PrimaryKey(String epk, byte[] bytes, byte[] logicalKey) {}
