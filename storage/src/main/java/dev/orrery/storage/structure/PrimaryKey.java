package dev.orrery.storage.structure;

import dev.orrery.storage.WriteKey;
import dev.orrery.value.RawValue;

/**
 * What identifies a document inside its collection, as bytes.
 *
 * @param epk the effective partition key that decides on the physical partition
 * @param bytes partition key and {@code _id}, encoded
 * @param logicalKey effective and encoded partition key, under which the size of the logical
 *     partition is counted; null in a collection without a partition key
 * @param partitionKey the partition key's value; null when it is missing, or there is none
 */
public record PrimaryKey(String epk, byte[] bytes, byte[] logicalKey, RawValue partitionKey)
    implements WriteKey {}
