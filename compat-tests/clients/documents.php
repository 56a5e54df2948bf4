<?php
// Stores and reads documents with Debian's php-mongodb and prints what it sees, one fact a line.
use MongoDB\Driver\{BulkWrite, Command, Exception\BulkWriteException, Manager, Query, WriteConcern};

$manager = new Manager($argv[1], ['serverSelectionTimeoutMS' => 20000]);
$name = "{$argv[2]}.things";
$run = fn (array $command) => $manager->executeCommand($argv[2], new Command($command));

echo 'ping ', $run(['ping' => 1])->toArray()[0]->ok, "\n";
$bulk = new BulkWrite();
for ($n = 0; $n < 1000; $n++) {
    $bulk->insert(['_id' => $n, 'n' => $n, 'even' => $n % 2 === 0]);
}
$bulk->update(['n' => ['$lt' => 10]], ['$inc' => ['n' => 1000]], ['multi' => true]);
$bulk->delete(['_id' => 999]);
$result = $manager->executeBulkWrite($name, $bulk, ['writeConcern' => new WriteConcern(WriteConcern::MAJORITY)]);
echo 'bulk ', $result->getInsertedCount(), ' ', $result->getModifiedCount(), ' ', $result->getDeletedCount(), "\n";

$last = $manager->executeQuery($name, new Query(['even' => true], ['sort' => ['n' => -1], 'limit' => 2]));
echo 'last ', implode(' ', array_map(fn ($thing) => $thing->n, $last->toArray())), "\n";
$read = 0;
foreach ($manager->executeQuery($name, new Query(['n' => ['$gte' => 100]], ['batchSize' => 250])) as $thing) {
    $read++;
}
echo "read in batches $read\n";
try {
    $again = new BulkWrite();
    $again->insert(['_id' => 1]);
    $manager->executeBulkWrite($name, $again);
} catch (BulkWriteException $e) {
    echo 'duplicate ', $e->getWriteResult()->getWriteErrors()[0]->getCode(), "\n";
}
$groups = $run(['aggregate' => 'things', 'cursor' => new stdClass(), 'pipeline' => [
    ['$group' => ['_id' => '$even', 'count' => ['$sum' => 1]]], ['$sort' => ['_id' => 1]]]]);
echo 'groups ', json_encode($groups->toArray()), "\n";
$run(['dropDatabase' => 1]);
echo 'left ', count($manager->executeQuery($name, new Query([]))->toArray()), "\n";
