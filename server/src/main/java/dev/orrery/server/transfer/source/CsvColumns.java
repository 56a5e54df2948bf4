package dev.orrery.server.transfer.source;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The columns of a file of separated values: how a row becomes a document. */
final class CsvColumns {
  private final List<CsvColumn> columns;
  private final CsvFormat format;

  private CsvColumns(List<CsvColumn> columns, CsvFormat format) {
    this.columns = columns;
    this.format = format;
  }

  static CsvColumns parse(List<String> headers, CsvFormat format) throws TransferException {
    var columns = new ArrayList<CsvColumn>();
    var names = new TreeSet<String>();
    for (String header : headers) {
      CsvColumn column = CsvColumn.parse(header, format.hasTypes());
      requireName(column.name(), names);
      names.add(column.name());
      columns.add(column);
    }
    return new CsvColumns(columns, format);
  }

  private static void requireName(String name, TreeSet<String> earlier) throws TransferException {
    if (name.isEmpty() || name.startsWith(".") || name.endsWith(".") || name.contains("..")) {
      throw new TransferException(
          "The column '" + name + "' has an empty name, or a part of it is empty.");
    }
    if (name.startsWith("$")) {
      throw new TransferException("The name of a column cannot start with '$': " + name + ".");
    }
    for (String other : earlier) {
      if (other.equals(name) || other.startsWith(name + ".") || name.startsWith(other + ".")) {
        throw new TransferException(
            "The columns '" + other + "' and '" + name + "' cannot be in one document.");
      }
    }
  }

  /** The document of a row; values beyond the last column are called field4, field5 and so on. */
  BsonDocument document(List<String> values, String place) throws BadRecordException {
    var document = new BsonDocument();
    for (int i = 0; i < values.size(); i++) {
      String text = values.get(i);
      if (text.isEmpty() && format.ignoresBlanks()) {
        continue;
      }
      CsvColumn column = i < columns.size() ? columns.get(i) : CsvColumn.unnamed(i);
      BsonValue value = value(column, text, place);
      if (value != null) {
        put(document, column.parts(), value, place);
      }
    }
    return document;
  }

  private @Nullable BsonValue value(CsvColumn column, String text, String place)
      throws BadRecordException {
    try {
      return column.type().parse(text);
    } catch (RuntimeException e) { // of whatever parses numbers, dates and codes
      return switch (format.grace()) {
        case AUTO_CAST -> CsvColumn.guess(text);
        case SKIP_FIELD -> null;
        case SKIP_ROW, STOP ->
            throw new BadRecordException(
                place,
                "'%s' in column %s is no %s; --parseGrace says what to do with such values"
                    .formatted(text, column.name(), column.typeName()));
      };
    }
  }

  private void put(BsonDocument document, List<String> parts, BsonValue value, String place)
      throws BadRecordException {
    BsonValue parent = document;
    for (int i = 0; i + 1 < parts.size(); i++) {
      boolean isArray = format.usesArrayIndexes() && CsvColumn.isIndex(parts.get(i + 1));
      BsonValue child = child(parent, parts.get(i));
      if (child == null) {
        child = isArray ? new BsonArray() : new BsonDocument();
        add(parent, parts.get(i), child, place);
      }
      parent = child;
    }
    add(parent, parts.get(parts.size() - 1), value, place);
  }

  private static @Nullable BsonValue child(BsonValue parent, String part) {
    if (parent.isDocument()) {
      return parent.asDocument().get(part);
    }
    BsonArray array = parent.asArray();
    int index = CsvColumn.isIndex(part) ? Integer.parseInt(part) : array.size();
    return index < array.size() ? array.get(index) : null;
  }

  private static void add(BsonValue parent, String part, BsonValue value, String place)
      throws BadRecordException {
    if (parent.isDocument()) {
      parent.asDocument().append(part, value);
    } else if (part.equals(Integer.toString(parent.asArray().size()))) {
      parent.asArray().add(value);
    } else {
      throw new BadRecordException(
          place, "the positions of an array must come in order, from 0; " + part + " does not");
    }
  }
}
