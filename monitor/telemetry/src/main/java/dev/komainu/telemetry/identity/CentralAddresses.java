package dev.komainu.telemetry.identity;

import dev.komainu.telemetry.wire.Sha256;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of the central services of an installation, at each of which a part may report:
 * only one of them judges, and the others forward to it. Several are all {@code https}, or all of
 * this machine. Immutable.
 */
public final class CentralAddresses {

    /** Largest number of addresses. */
    public static final int MOST = 8;

    /** The form of the text, for tables. */
    public static final String FORM = "1 to " + MOST + " of http://HOST:PORT or https://HOST:PORT";

    private static final String ONE = "http://HOST:PORT or https://HOST:PORT";
    private static final Pattern WORD = Pattern.compile("[^,\\s]+");

    private final List<URI> all;

    private CentralAddresses(List<URI> all) {
        this.all = List.copyOf(all);
    }

    /**
     * Returns one address.
     *
     * @throws IllegalArgumentException naming the address and what was expected
     */
    public static CentralAddresses of(URI address) {
        return parse(address.toString());
    }

    /** Returns the addresses that a setting gives, else the one of the enrolment. */
    public static @Nullable CentralAddresses givenOr(
            @Nullable CentralAddresses given, @Nullable URI enrolled) {
        return given != null || enrolled == null ? given : of(enrolled);
    }

    /**
     * Parses addresses with commas or blanks between.
     *
     * @throws IllegalArgumentException naming the first address that is wrong, its position where
     *     there are several, and what was expected
     */
    public static CentralAddresses parse(String text) {
        List<MatchResult> words = WORD.matcher(text).results().toList();
        if (words.isEmpty()) {
            throw wrong("(empty)", FORM);
        }
        List<URI> found = new ArrayList<>();
        for (MatchResult word : words) {
            String where = words.size() == 1
                    ? word.group()
                    : word.group() + ", address " + (found.size() + 1) + " at character "
                            + (word.start() + 1);
            if (found.size() == MOST) {
                throw wrong(where, "at most " + MOST + " addresses");
            }
            URI address = address(word.group(), where);
            check(address, found, where);
            found.add(address);
        }
        return new CentralAddresses(found);
    }

    private static URI address(String word, String where) {
        try {
            URI address = new URI(word.replaceFirst("(?<=[^/])/+$", ""));
            if (address.getHost() != null
                    && (word.startsWith("http://") || word.startsWith("https://"))) {
                return address;
            }
        } catch (URISyntaxException e) {
            throw wrong(where, ONE);
        }
        throw wrong(where, ONE);
    }

    private static void check(URI address, List<URI> before, String where) {
        if (before.contains(address)) {
            throw wrong(where, "each address once");
        }
        if (before.isEmpty()) {
            return;
        }
        URI first = before.getFirst();
        // A token that goes to one of them in clear text can be read on its way.
        if (!(isSecure(address) && isSecure(first))
                && !(isPlainHere(address) && isPlainHere(first))) {
            throw wrong(where, "several addresses all with https, or all http of this host");
        }
    }

    private static IllegalArgumentException wrong(String what, String expected) {
        return new IllegalArgumentException(what + " (expected: " + expected + ")");
    }

    private static boolean isSecure(URI address) {
        return "https".equals(address.getScheme());
    }

    private static boolean isPlainHere(URI address) {
        String host = String.valueOf(address.getHost());
        return !isSecure(address)
                && (host.equals("localhost")
                        || host.equals("[::1]")
                        || host.matches("127(\\.\\d{1,3}){3}"));
    }

    /** Returns the addresses as written, without slashes at their ends. */
    public List<URI> all() {
        return all;
    }

    /** Reports whether TLS protects every one of them. */
    public boolean areSecure() {
        return all.stream().allMatch(CentralAddresses::isSecure);
    }

    /** Reports whether no other host can answer: by TLS, or because they are of this one. */
    public boolean areUnmistakable() {
        return areSecure() || all.stream().allMatch(CentralAddresses::isPlainHere);
    }

    /**
     * Returns the addresses in the order in which a part prefers them: the same at each start, and
     * whatever the order in the settings. Each address comes first for an equal share of the parts,
     * and those of an address that fails spread over all others (rendezvous hashing).
     *
     * @param part name of the part
     */
    public List<URI> preferredBy(String part) {
        return all.stream()
                .sorted(Comparator.comparing(address -> rank(part, address)))
                .toList();
    }

    private static String rank(String part, URI address) {
        return Sha256.hex(part + "\n" + address);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CentralAddresses that && all.equals(that.all);
    }

    @Override
    public int hashCode() {
        return all.hashCode();
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        return all.stream().map(URI::toString).collect(Collectors.joining(","));
    }
}
