// What people look at in mongosh, one fact a line.
const facts = (title, ...values) => print([title, ...values].join(' '));

facts('version', db.version(), db.hello().setName, db.getMongo().getDBNames().includes(db.getName()));
db.c.insertMany(Array.from({ length: 45 }, (_, n) => ({ _id: n, a: n % 5 })));
db.c.createIndex({ a: 1 });
const stats = db.c.stats();
facts('stats', stats.ns, stats.count, stats.nindexes, stats.size === db.c.dataSize(), db.c.isCapped());
facts('scaled', db.c.stats({ scale: 10 }).size, db.stats(2).scaleFactor);
const plan = db.c.find({ a: 1 }).explain('executionStats');
facts('explain', plan.queryPlanner.winningPlan.inputStage.indexName, plan.executionStats.totalDocsExamined);
facts('members', rs.status().members.map(({ stateStr }) => stateStr), rs.conf().members.length, rs.conf()._id);
facts('primary', db.hello().isWritablePrimary, rs.hello().primary === db.hello().me);
const status = db.serverStatus();
facts('server', status.version, status.connections.current > 0, status.opcounters.insert >= 45);
facts('operations', db.currentOp().inprog.length > 0, db.currentOp(true).ok);
facts('profiler', db.getProfilingStatus().was, db.getProfilingStatus().slowms);
facts('validated', db.c.validate().valid, db.c.validate({ full: true }).nrecords);
facts('indexes', db.c.getIndexes().map(({ name }) => name), db.c.totalIndexSize() > 0);
facts('collections', db.getCollectionInfos().map(({ name, type }) => `${name}:${type}`));
facts('host', typeof db.hostInfo().system.numCores, db.serverBuildInfo().version, db.adminCommand('ping').ok);
db.createView('v', 'c', [{ $match: { a: 0 } }]);
facts('view', db.v.countDocuments());
facts('renamed', db.c.renameCollection('d').ok, db.d.estimatedDocumentCount());
db.createUser({ user: 'reader', pwd: 'secret', roles: ['read'] });
facts('users', db.getUsers().users.map(({ user }) => user));
db.dropUser('reader');
try {
  db.d.insertOne({ _id: 1 });
} catch (e) {
  facts('error', e.name, e.code);
}
facts('dropped', db.dropDatabase().ok);
