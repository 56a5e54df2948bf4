package dev.orrery.server.transfer.source;

import dev.orrery.value.RawDocument;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Rows of comma- or tab-separated values as documents. */
final class DelimitedRecords implements RecordReader {
  private final DelimitedRows rows;
  private final String name;
  private final CsvFormat format;
  private CsvColumns columns;

  DelimitedRecords(DelimitedRows rows, String name, CsvFormat format) {
    this.rows = rows;
    this.name = name;
    this.format = format;
  }

  @Override
  public @Nullable SourceRecord next() throws IOException {
    if (columns == null) {
      columns = CsvColumns.parse(format.fields().isEmpty() ? header() : format.fields(), format);
    }
    DelimitedRows.Row row = rows.next();
    return row == null ? null : new RowRecord(row);
  }

  private java.util.List<String> header() throws IOException {
    if (!format.hasHeaderLine()) {
      throw new TransferException(
          name + ": the names of the columns are not known. Say --headerline or --fields a,b,c.");
    }
    DelimitedRows.Row row = rows.next();
    if (row == null) {
      throw new TransferException(name + " is empty; a line with the names of the columns is due.");
    }
    if (row.problem() != null) {
      throw new TransferException("%s, line %,d: %s.".formatted(name, row.line(), row.problem()));
    }
    return row.values();
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }

  private final class RowRecord implements SourceRecord {
    private final DelimitedRows.Row row;

    RowRecord(DelimitedRows.Row row) {
      this.row = row;
    }

    @Override
    public String place() {
      return "%s, line %,d".formatted(name, row.line());
    }

    @Override
    public int length() {
      return row.length();
    }

    @Override
    public RawDocument document() throws BadRecordException {
      if (row.problem() != null) {
        throw new BadRecordException(place(), row.problem());
      }
      return RawDocument.of(columns.document(row.values(), place()));
    }
  }
}
