package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.text.TextFields;
import dev.orrery.language.text.TextLanguage;
import dev.orrery.language.text.TextSearch;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.jspecify.annotations.Nullable;

/** {@code $text}: what is searched for; where, the text index of a collection says. */
public final class TextFilters {
  private TextFilters() {}

  /**
   * A search that knows no index yet.
   *
   * @param document as it was written, with {@code $text}
   */
  public record Unbound(TextSearch.Request request, BsonDocument document)
      implements DocumentPredicate {
    @Override
    public boolean test(RawDocument one) {
      throw new CommandException(ErrorCode.INDEX_NOT_FOUND, "text index required for $text query");
    }
  }

  /** A search on the fields of an index. */
  public record Bound(TextSearch search, BsonDocument document) implements DocumentPredicate {
    @Override
    public boolean test(RawDocument one) {
      return search.score(one) != null;
    }
  }

  static Filter parse(RawDocument argument) {
    if (argument.field("$search") == null) {
      throw new CommandException(ErrorCode.NO_SUCH_KEY, "Missing expected field \"$search\"");
    }
    int known = 0;
    known += count(argument, "$search", BsonType.STRING);
    known += count(argument, "$language", BsonType.STRING);
    known += count(argument, "$caseSensitive", BsonType.BOOLEAN);
    known += count(argument, "$diacriticSensitive", BsonType.BOOLEAN);
    if (known != argument.toBsonDocument().size()) {
      throw badValue("extra fields in $text");
    }
    var request =
        new TextSearch.Request(
            argument.field("$search").asString(),
            language(argument.field("$language")),
            isTrue(argument.field("$caseSensitive")),
            isTrue(argument.field("$diacriticSensitive")));
    var document = new BsonDocument("$text", argument.toBsonDocument());
    return new Filter.Whole(new Unbound(request, document));
  }

  private static int count(RawDocument argument, String name, BsonType type) {
    RawValue value = argument.field(name);
    if (value == null) {
      return 0;
    }
    if (value.type() != RawTypes.of(type)) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "\"%s\" had the wrong type. Expected %s, found %s"
              .formatted(name, BsonText.typeName(type), BsonText.typeName(value.toBsonValue())));
    }
    return 1;
  }

  private static boolean isTrue(@Nullable RawValue value) {
    return value != null && value.toBsonValue().asBoolean().getValue();
  }

  private static @Nullable TextLanguage language(@Nullable RawValue value) {
    if (value == null || value.asString().isEmpty()) {
      return null;
    }
    TextLanguage language = TextLanguage.find(value.asString());
    if (language == null) {
      throw badValue(
          "unsupported language: \"%s\" for text index version 3".formatted(value.asString()));
    }
    return language;
  }

  /** The search of a filter; null if there is none. There is one at most, and not in a negation. */
  public static @Nullable Unbound find(Filter filter) {
    var found = new ArrayList<Unbound>();
    collect(filter, found, false);
    if (found.size() > 1) {
      throw badValue("Too many text expressions");
    }
    return found.isEmpty() ? null : found.get(0);
  }

  /** The refusal of a search that asks for the nearest, too. */
  public static CommandException besideNear() {
    return badValue("text and geoNear not allowed in same query");
  }

  private static void collect(Filter filter, List<Unbound> found, boolean isNegated) {
    if (filter instanceof Filter.Whole whole && whole.predicate() instanceof Unbound search) {
      if (isNegated) {
        throw badValue("text expression not allowed in nor");
      }
      found.add(search);
    } else if (filter instanceof Filter.And and) {
      and.children().forEach(child -> collect(child, found, isNegated));
    } else if (filter instanceof Filter.Or or) {
      or.children().forEach(child -> collect(child, found, isNegated));
    } else if (filter instanceof Filter.Nor nor) {
      nor.children().forEach(child -> collect(child, found, true));
    }
  }

  /** The same filter, with its search on the fields of an index. */
  public static Filter bound(Filter filter, TextFields fields) {
    if (filter instanceof Filter.Whole whole && whole.predicate() instanceof Unbound unbound) {
      return new Filter.Whole(
          new Bound(new TextSearch(unbound.request(), fields), unbound.document()));
    }
    if (filter instanceof Filter.And and) {
      return new Filter.And(and.children().stream().map(child -> bound(child, fields)).toList());
    }
    return filter instanceof Filter.Or or
        ? new Filter.Or(or.children().stream().map(child -> bound(child, fields)).toList())
        : filter;
  }
}
