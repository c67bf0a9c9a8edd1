package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.TokenList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The field Vary: the request fields that select a representation, and their values (RFC 9110
 * section 12.5.5). Pure functions.
 */
public final class Vary {

    private static final Set<String> NEGOTIATION =
            Set.of("accept-encoding", "accept-language", "accept-charset");

    private Vary() {}

    /**
     * Returns the lower-case, sorted names of a Vary value; empty when absent. {@code *} must have
     * been rejected before.
     */
    public static List<String> names(String vary) {
        List<String> names = new ArrayList<>();
        for (String name : TokenList.split(vary)) {
            names.add(name.toLowerCase(Locale.ROOT));
        }
        return names.stream().distinct().sorted().toList();
    }

    /**
     * Returns the selecting values, normalized as far as RFC 9111 section 4.1 permits. Space around
     * members is removed. In the negotiation fields, whose grammar is known, case and the order of
     * members are ignored, because only q has weight.
     */
    public static String selection(List<String> names, Fields request) {
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            String value = request.joined(name);
            text.append('\n');
            if (value != null) {
                List<String> members = TokenList.split(value);
                text.append('=')
                        .append(String.join(
                                ",", NEGOTIATION.contains(name) ? weighed(members) : members));
            }
        }
        return text.toString();
    }

    private static List<String> weighed(List<String> members) {
        return members.stream()
                .map(member -> {
                    String bare =
                            member.toLowerCase(Locale.ROOT).replace(" ", "").replace("\t", "");
                    // RFC 9110 section 12.4.2: q=1 is the default.
                    return bare.replaceFirst(";q=1(\\.0{0,3})?$", "")
                            .replaceFirst("(;q=0\\.\\d*?)0+$", "$1");
                })
                .distinct()
                .sorted()
                .toList();
    }
}
