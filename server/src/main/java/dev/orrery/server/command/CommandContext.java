package dev.orrery.server.command;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.session.Session;
import dev.orrery.server.session.SessionTransaction;
import dev.orrery.server.throughput.OperationWork;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.View;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds one call of a command: who calls, on which database, in which session, with which
 * concerns and until when. Belongs to that call alone.
 */
public final class CommandContext {
  private final ClientConnection connection;
  private final String database;
  private final Envelope envelope;
  private final Session session;
  private final Operation operation;
  private AccessControl access = AccessControl.OPEN;
  private Receipt receipt = Receipt.NONE;
  private Runnable onFailure = () -> {};
  private TransactionEntry entry = TransactionEntry.NONE;
  private View view = View.NEWEST;

  public CommandContext(
      ClientConnection connection,
      String database,
      Envelope envelope,
      Session session,
      Operation operation) {
    this.connection = connection;
    this.database = database;
    this.envelope = envelope;
    this.session = session;
    this.operation = operation;
  }

  public ClientConnection connection() {
    return connection;
  }

  /** The database the command runs on; a name that no database can have is refused here. */
  public String database() {
    Names.requireDatabase(database);
    return database;
  }

  /**
   * What the request takes for as long as it lasts, or a cursor that it opens, and has not been
   * counted: most requests are short and soon answered.
   */
  public long uncountedBytes() {
    RawDocument body = operation.subject().body();
    return body.length() > Dispatcher.LOOP_BYTES_MAX ? 0 : RequestWeight.of(body);
  }

  /** Asks {@code control} from now on what the user may know. */
  CommandContext guardedBy(AccessControl control) {
    access = control;
    return this;
  }

  /** Whether users may do different things here. */
  public boolean isGuarded() {
    return access != AccessControl.OPEN;
  }

  /** Whether the user may do that; whoever could not run the command at all is not here. */
  public boolean allows(Action action, Resource resource) {
    return access.allows(connection, action, resource);
  }

  /** Whether the user may do anything at all in a database. */
  public boolean reaches(String name) {
    return access.reaches(connection, name);
  }

  /** Whether the user may do anything at all with a collection of the command's database. */
  public boolean reachesCollection(String name) {
    return access.reaches(connection, Resource.collection(database, name));
  }

  /** The session, or null when the command came without one. */
  public Session session() {
    return session;
  }

  /** Session id, transaction number and the state of the transaction, as the client says. */
  public SessionFields sessionFields() {
    return envelope.session();
  }

  /** Lets the call take part in the transaction of its session, if it says so. */
  CommandContext taking(TransactionEntry newEntry) {
    entry = newEntry;
    return this;
  }

  /**
   * Begins what the call does in its transaction, if it is in one: from now on an error ends the
   * transaction. Called by commands whose fields are read before; for all others it was called.
   */
  public void enterTransaction() {
    entry.enter();
  }

  /** Refuses to go on in a transaction that was begun with another Stable API. */
  public void requireSameApi(Command.Spec spec, SessionTransaction transaction) {
    TransactionRules.requireSameApi(spec, envelope.api(), transaction);
  }

  /** The transaction that the call is part of; null for none. */
  public @Nullable SessionTransaction transaction() {
    return entry.transaction();
  }

  /** What is read: the newest state, that of a transaction, or that at a point. */
  public View view() {
    SessionTransaction transaction = entry.transaction();
    return transaction == null ? view : transaction.changes();
  }

  /** Whether it surely reads the newest state. */
  boolean readsNewest() {
    return !envelope.session().isTransaction() && !envelope.readConcern().isSnapshot();
  }

  /** Why the read concern cannot be. */
  public CommandException readConcernNotTaken(Command.Spec spec) {
    return TransactionRules.notTaken(spec, envelope.readConcern());
  }

  /** Reads at a point from now on. */
  public void readAt(View point) {
    view = point;
    requireSameName();
  }

  /** Refuses to read under the name of the command's collection what was not there at the point. */
  void requireSameName() {
    String collection = operation.subject().collection();
    if (collection != null && !collection.isEmpty()) {
      requireSame(new Namespace(database, collection));
    }
  }

  /** The same for a collection that the command reads besides. */
  public void requireSame(Namespace namespace) {
    View point = view();
    if (!point.hasSame(namespace)) {
      var time = new BsonTimestamp(point.time());
      throw new CommandException(
          ErrorCode.SNAPSHOT_UNAVAILABLE,
          "Unable to read from a snapshot due to pending collection catalog changes to collection '"
              + namespace
              + "'; please retry the operation. Snapshot timestamp is Timestamp("
              + time.getTime()
              + ", "
              + time.getInc()
              + ").");
    }
  }

  /** What the session calls the statement at that place of a retryable write. */
  public int statementId(int index) {
    return envelope.statements().at(index);
  }

  public ReadConcern readConcern() {
    return envelope.readConcern();
  }

  public WriteConcern writeConcern() {
    return envelope.writeConcern();
  }

  /** The mode, such as {@code primary}. */
  public String readPreference() {
    return envelope.readPreference();
  }

  /** The value of {@code maxTimeMS}, 0 without one; getMore waits for new data so long. */
  public long maxTimeMillis() {
    return envelope.maxTimeMillis();
  }

  /** The call as those see it who look after the server; throws when it must end. */
  public Operation operation() {
    return operation;
  }

  /** Asks for, and counts, the request units of this call. */
  public OperationWork work() {
    return operation.work();
  }

  /** The comment, or null when there is none. */
  public RawValue comment() {
    return envelope.comment();
  }

  /** Whether the client asked for {@code apiStrict}. */
  public boolean isApiStrict() {
    return envelope.api().isStrict();
  }

  /**
   * Holds the reply back until a change is durable, unless the write concern says that nobody waits
   * for it; the reply tells the time of the last one. Never blocks.
   */
  public void awaitDurable(Receipt change) {
    receipt = receipt.with(change);
  }

  /** The cluster time of the call's last change; 0 without any. */
  long operationTime() {
    return receipt.time();
  }

  /** Says what must not stay when the reply, which would tell of it, cannot be sent. */
  public void onFailure(Runnable undo) {
    onFailure = undo;
  }

  /** Undoes what only the reply would have told of. */
  void failed() {
    Runnable undo = onFailure;
    onFailure = () -> {};
    undo.run();
  }

  /** Whether the call has changed anything that is kept. */
  boolean hasWritten() {
    return receipt != Receipt.NONE;
  }

  /** What to wait for before the reply; {@link Receipt#NONE} for nothing. */
  Receipt receipt() {
    return envelope.writeConcern().waitsForDisk() ? receipt : Receipt.NONE;
  }

  Envelope envelope() {
    return envelope;
  }
}
