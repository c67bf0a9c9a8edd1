package dev.komainu.organizer.route;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The members that a request has passed: one entry each in {@code Via} (RFC 9110 section 7.6.3),
 * whose pseudonym names cluster and member. Entries of other proxies stay unchanged.
 *
 * <pre>Via: 1.1 squid, 2.0 web1.shop.organizer, 2.0 web7.shop.organizer</pre>
 *
 * @param members in the order of the path
 */
public record HopPath(List<MemberId> members) {

    /**
     * From the client's organizer to the server's organizer is one hop; each further one is a
     * detour.
     */
    public static final int MAX_HOPS = 4;

    private static final String SUFFIX = ".organizer";
    private static final int MAX_LENGTH = 16_384;

    public HopPath {
        members = List.copyOf(members);
    }

    /**
     * Reads the path of a request.
     *
     * @param via the values of all its {@code Via} lines, joined by commas. Entries of other
     *     clusters are skipped. Only the last 16 KB are read, because the last entries are the most
     *     recent
     */
    public static HopPath of(String via, String cluster) {
        String suffix = "." + cluster + SUFFIX;
        String read = via.length() > MAX_LENGTH ? via.substring(via.length() - MAX_LENGTH) : via;
        List<MemberId> members = new ArrayList<>();
        for (String entry : read.split(",")) {
            String[] words = entry.strip().split("\\s+", 3);
            if (words.length >= 2 && words[1].endsWith(suffix)) {
                try {
                    members.add(new MemberId(
                            words[1].substring(0, words[1].length() - suffix.length())));
                } catch (IllegalArgumentException e) {
                    // A foreign pseudonym with the same ending.
                }
            }
        }
        return new HopPath(members);
    }

    /**
     * Returns the entry that a member adds before it forwards a request.
     *
     * @param protocol protocol version of the received request: {@code 1.1}, {@code 2.0}
     */
    public static String entry(String protocol, MemberId member, String cluster) {
        return protocol + " " + member + "." + cluster + SUFFIX;
    }

    /**
     * Reports whether the request has already passed this member, or too many members. It must not
     * be forwarded then.
     */
    public boolean isLoopAt(MemberId self) {
        return members.contains(self) || members.size() >= MAX_HOPS;
    }

    /** Returns the members that have already had the request. */
    public Set<MemberId> seen() {
        return members.stream().collect(Collectors.toUnmodifiableSet());
    }
}
