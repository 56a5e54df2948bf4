package dev.orrery.server.transfer.source;

import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.List;
import java.util.Locale;

/** The three ways in which mongoimport lets people write down the layout of a date. */
enum DateLayout {
  /** By example: {@code 2006-01-02 15:04:05}. */
  GO(
      "2006=uuuu 06=uu January=MMMM Jan=MMM 01=MM Monday=EEEE Mon=EEE 02=dd _2=ppd 15=HH 03=hh"
          + " 04=mm 05=ss .000=.SSS .999=.SSS Z07:00=ZZZZZ -07:00=xxx Z0700=XX -0700=xx MST=zzz PM=a"
          + " 1=M 2=d 3=h 4=m 5=s"),
  /** With letters: {@code yyyy-MM-dd HH:mm:ss}. */
  MICROSOFT(
      "yyyy=uuuu yy=uu MMMM=MMMM MMM=MMM MM=MM M=M dddd=EEEE ddd=EEE dd=dd d=d HH=HH H=H hh=hh h=h"
          + " mm=mm m=m ss=ss s=s fff=SSS tt=a zzz=xxx"),
  /** As in Oracle's TO_DATE: {@code YYYY-MM-DD HH24:MI:SS}. */
  ORACLE(
      "YYYY=uuuu YY=uu MONTH=MMMM MON=MMM MM=MM DAY=EEEE DY=EEE DD=dd HH24=HH HH12=hh HH=hh MI=mm"
          + " SS=ss FF3=SSS AM=a PM=a TZH:TZM=xxx");

  /** Longer parts come before their beginnings. */
  private final List<String[]> parts;

  DateLayout(String parts) {
    this.parts = List.of(parts.split(" ")).stream().map(part -> part.split("=", 2)).toList();
  }

  DateTimeFormatter formatter(String layout) {
    var pattern = new StringBuilder();
    int at = 0;
    while (at < layout.length()) {
      String[] part = partAt(layout, at);
      if (part == null) {
        char literal = layout.charAt(at++);
        pattern.append(literal == '\'' ? "''" : "'" + literal + "'");
      } else {
        pattern.append(part[1].startsWith(".") ? "'.'" + part[1].substring(1) : part[1]);
        at += part[0].length();
      }
    }
    return new DateTimeFormatterBuilder()
        .parseCaseInsensitive()
        .appendPattern(pattern.toString())
        .toFormatter(Locale.ENGLISH);
  }

  private String[] partAt(String layout, int at) {
    for (String[] part : parts) {
      if (layout.startsWith(part[0], at)) {
        return part;
      }
    }
    return null;
  }
}
