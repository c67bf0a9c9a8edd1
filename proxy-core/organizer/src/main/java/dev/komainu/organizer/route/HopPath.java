package dev.komainu.organizer.route;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which members a request went through: one entry each in {@code Via} (RFC 9110 section 7.6.3),
 * whose pseudonym tells cluster and member. Other proxies' entries pass through untouched.
 *
 * <pre>Via: 1.1 squid, 2.0 web1.shop.organizer, 2.0 web7.shop.organizer</pre>
 *
 * @param members in the order of the way
 */
public record HopPath(List<MemberId> members) {

    /** From asker's organizer to server's organizer is one; every more is a detour. */
    public static final int MOST = 4;

    private static final String SUFFIX = ".organizer";
    private static final int LONGEST = 16_384;

    public HopPath {
        members = List.copyOf(members);
    }

    /**
     * Reads it out of a request.
     *
     * @param via the values of all its {@code Via} lines, joined by commas; what is no entry of
     *     this cluster is passed over. Of more than 16 KB only the last counts: who is there wrote
     *     last
     */
    public static HopPath of(String via, String cluster) {
        String suffix = "." + cluster + SUFFIX;
        String read = via.length() > LONGEST ? via.substring(via.length() - LONGEST) : via;
        List<MemberId> members = new ArrayList<>();
        for (String entry : read.split(",")) {
            String[] words = entry.strip().split("\\s+", 3);
            if (words.length >= 2 && words[1].endsWith(suffix)) {
                try {
                    members.add(new MemberId(
                            words[1].substring(0, words[1].length() - suffix.length())));
                } catch (IllegalArgumentException e) {
                    // Somebody's own pseudonym that happens to end so.
                    continue;
                }
            }
        }
        return new HopPath(members);
    }

    /**
     * What a member adds before it sends a request on.
     *
     * @param protocol in which it came: {@code 1.1}, {@code 2.0}
     */
    public static String entry(String protocol, MemberId member, String cluster) {
        return protocol + " " + member + "." + cluster + SUFFIX;
    }

    /** Whether a member has seen this request already, or too many have: it must not go on. */
    public boolean isLoopAt(MemberId self) {
        return members.contains(self) || members.size() >= MOST;
    }

    /** Whom not to ask: those that had it. */
    public Set<MemberId> seen() {
        return members.stream().collect(Collectors.toUnmodifiableSet());
    }
}
