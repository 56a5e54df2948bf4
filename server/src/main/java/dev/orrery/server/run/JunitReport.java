package dev.orrery.server.run;

import java.io.StringWriter;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** A report of a run as JUnit's XML, for tools that show tests: each budget is a test. */
final class JunitReport {
  private static final String SUITE = "orrery.budgets";

  private JunitReport() {}

  static String of(RunResult result) {
    var text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
      write(xml, result);
      xml.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("a report in memory cannot be written", e);
    }
    return text + "\n";
  }

  private static void write(XMLStreamWriter xml, RunResult result) throws XMLStreamException {
    List<BudgetVerdict> verdicts = result.verdicts();
    long failures = verdicts.stream().filter(BudgetVerdict::isExceeded).count();
    failures += result.exitCode() == 0 ? 0 : 1;
    xml.writeStartDocument("UTF-8", "1.0");
    xml.writeStartElement("testsuite");
    xml.writeAttribute("name", SUITE);
    xml.writeAttribute("tests", String.valueOf(verdicts.size() + 1));
    xml.writeAttribute("failures", String.valueOf(failures));
    xml.writeAttribute("errors", "0");
    xml.writeAttribute("skipped", "0");
    String ended = "the command ended with " + result.exitCode();
    testCase(xml, "command", result.exitCode() == 0 ? "" : ended);
    for (BudgetVerdict verdict : verdicts) {
      String name = (verdict.kind() + " " + verdict.name()).strip();
      testCase(xml, name, verdict.isExceeded() ? verdict.words() : "");
    }
    xml.writeEndElement();
    xml.writeEndDocument();
  }

  private static void testCase(XMLStreamWriter xml, String name, String failure)
      throws XMLStreamException {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", SUITE);
    xml.writeAttribute("name", printable(name));
    if (!failure.isEmpty()) {
      xml.writeStartElement("failure");
      xml.writeAttribute("message", printable(failure));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  /** Names of fields may hold characters that XML has no way to write. */
  private static String printable(String name) {
    return name.replaceAll("\\p{Cntrl}|[\\uFFFE\\uFFFF]", "?");
  }
}
