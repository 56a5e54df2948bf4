/* Stores and reads documents and a file with Debian's libmongoc and prints what it sees, one fact a line. */
#include <mongoc/mongoc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THINGS = 1000, FILE_BYTES = 10 * 1024 * 1024 + 17 };

static void require(bool ok, const bson_error_t *error) {
  if (!ok) {
    fprintf(stderr, "%u %s\n", error->code, error->message);
    exit(1);
  }
}

static void store(mongoc_collection_t *things) {
  bson_error_t error;
  bson_t reply;
  mongoc_bulk_operation_t *bulk = mongoc_collection_create_bulk_operation_with_opts(things, NULL);
  for (int n = 0; n < THINGS; n++) {
    bson_t *thing = BCON_NEW("_id", BCON_INT32(n), "even", BCON_BOOL(n % 2 == 0));
    mongoc_bulk_operation_insert(bulk, thing);
    bson_destroy(thing);
  }
  require(mongoc_bulk_operation_execute(bulk, &reply, &error) != 0, &error);
  bson_iter_t inserted;
  bson_iter_init_find(&inserted, &reply, "nInserted");
  printf("inserted %d\n", bson_iter_int32(&inserted));
  mongoc_bulk_operation_destroy(bulk);
  bson_destroy(&reply);

  bson_t *again = BCON_NEW("_id", BCON_INT32(1));
  if (!mongoc_collection_insert_one(things, again, NULL, NULL, &error)) {
    printf("duplicate %u\n", error.code);
  }
  bson_destroy(again);
}

static void read_back(mongoc_collection_t *things) {
  bson_error_t error;
  const bson_t *thing;
  int read = 0;
  bson_t *filter = BCON_NEW("even", BCON_BOOL(true));
  bson_t *options = BCON_NEW("batchSize", BCON_INT32(100), "sort", "{", "_id", BCON_INT32(-1), "}");
  mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(things, filter, options, NULL);
  while (mongoc_cursor_next(cursor, &thing)) {
    read++;
  }
  require(!mongoc_cursor_error(cursor, &error), &error);
  printf("read in batches %d\n", read);
  mongoc_cursor_destroy(cursor);

  bson_t *pipeline = BCON_NEW("pipeline", "[", "{", "$match", BCON_DOCUMENT(filter), "}", "{", "$count",
                              BCON_UTF8("n"), "}", "]");
  cursor = mongoc_collection_aggregate(things, MONGOC_QUERY_NONE, pipeline, NULL, NULL);
  while (mongoc_cursor_next(cursor, &thing)) {
    char *json = bson_as_relaxed_extended_json(thing, NULL);
    printf("aggregated %s\n", json);
    bson_free(json);
  }
  require(!mongoc_cursor_error(cursor, &error), &error);
  mongoc_cursor_destroy(cursor);
  bson_destroy(pipeline);
  bson_destroy(options);
  bson_destroy(filter);
}

static void store_file(mongoc_database_t *database) {
  bson_error_t error;
  bson_value_t id;
  char *content = malloc(FILE_BYTES);
  char *copy = malloc(FILE_BYTES + 1);
  for (int i = 0; i < FILE_BYTES; i++) {
    content[i] = (char) (i * 31 + i / 4096);
  }
  mongoc_gridfs_bucket_t *bucket = mongoc_gridfs_bucket_new(database, NULL, NULL, &error);
  require(bucket != NULL, &error);
  mongoc_stream_t *up = mongoc_gridfs_bucket_open_upload_stream(bucket, "large", NULL, &id, &error);
  require(up != NULL, &error);
  require(mongoc_stream_write(up, content, FILE_BYTES, 0) == FILE_BYTES, &error);
  mongoc_stream_close(up);
  mongoc_stream_destroy(up);

  mongoc_stream_t *down = mongoc_gridfs_bucket_open_download_stream(bucket, &id, &error);
  require(down != NULL, &error);
  ssize_t total = 0;
  ssize_t more;
  while ((more = mongoc_stream_read(down, copy + total, FILE_BYTES + 1 - total, 1, 0)) > 0) {
    total += more;
  }
  printf("file %zd %s\n", total, memcmp(content, copy, FILE_BYTES) == 0 ? "same" : "different");
  mongoc_stream_destroy(down);
  mongoc_gridfs_bucket_destroy(bucket);
  bson_value_destroy(&id);
  free(copy);
  free(content);
}

int main(int count, char **arguments) {
  if (count != 3) {
    return 2;
  }
  bson_error_t error;
  mongoc_init();
  mongoc_uri_t *uri = mongoc_uri_new_with_error(arguments[1], &error);
  require(uri != NULL, &error);
  mongoc_client_t *client = mongoc_client_new_from_uri(uri);
  bson_t *ping = BCON_NEW("ping", BCON_INT32(1));
  require(mongoc_client_command_simple(client, "admin", ping, NULL, NULL, &error), &error);
  printf("ping 1\n");
  bson_destroy(ping);

  mongoc_database_t *database = mongoc_client_get_database(client, arguments[2]);
  mongoc_collection_t *things = mongoc_database_get_collection(database, "things");
  store(things);
  read_back(things);
  store_file(database);
  mongoc_collection_destroy(things);
  mongoc_database_destroy(database);
  mongoc_client_destroy(client);
  mongoc_uri_destroy(uri);
  mongoc_cleanup();
  return 0;
}
