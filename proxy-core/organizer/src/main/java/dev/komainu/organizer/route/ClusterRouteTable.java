package dev.komainu.organizer.route;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The routes of all members at one moment. Immutable: a new table replaces the old one as a whole,
 * and a request keeps the table of its start.
 *
 * <p>The table depends on the announcements only, in any order: members with the same announcements
 * have the same table and the same {@link #digest()}. It does not contain values that change every
 * second (load, delays), see {@link MemberForecasts}.
 *
 * <p>A lookup first uses the prefixes of the named host, then those for every host; the longest
 * matching prefix wins. Its cost is one step in a balanced tree for each prefix that shares a
 * beginning with the path, usually one or two.
 */
public final class ClusterRouteTable {

    public static final ClusterRouteTable EMPTY = of(List.of());

    private final List<Announcement> announcements;
    private final Map<String, NavigableMap<String, List<Candidate>>> byHost = new HashMap<>();
    private final List<RouteConflict> conflicts = new ArrayList<>();
    private final String digest;

    private ClusterRouteTable(List<Announcement> announcements) {
        this.announcements = announcements;
        Map<UrlPrefix, List<Claim>> claims = new TreeMap<>();
        for (Announcement announcement : announcements) {
            for (ServedRoute route : announcement.routes()) {
                claims.computeIfAbsent(route.prefix(), prefix -> new ArrayList<>())
                        .add(new Claim(announcement, route));
            }
        }
        claims.forEach(
                (prefix, all) -> byHost.computeIfAbsent(prefix.host(), host -> new TreeMap<>())
                        .put(prefix.path(), settle(prefix, all)));
        this.digest = digestOf(announcements);
    }

    private record Claim(Announcement by, ServedRoute route) {
        Candidate candidate() {
            return new Candidate(by.member(), by.line(), route, by.draining());
        }
    }

    /**
     * Creates a table.
     *
     * @param announcements at most one of each member, in any order
     */
    public static ClusterRouteTable of(Collection<Announcement> announcements) {
        return new ClusterRouteTable(announcements.stream()
                .sorted(Comparator.comparing(Announcement::member))
                .toList());
    }

    /**
     * Returns the members that serve a prefix. On a conflict the oldest incarnation wins, then the
     * lesser name: every member decides in the same way, and a new member cannot take over a
     * prefix.
     */
    private List<Candidate> settle(UrlPrefix prefix, List<Claim> claims) {
        String content = claims.stream()
                .filter(claim -> !claim.route.content().isEmpty())
                .min(Comparator.comparingLong((Claim claim) -> claim.by.incarnation())
                        .thenComparing(claim -> claim.by.member()))
                .map(claim -> claim.route.content())
                .orElse("");
        List<Candidate> served = new ArrayList<>();
        List<MemberId> contested = new ArrayList<>();
        for (Claim claim : claims) {
            String own = claim.route.content();
            if (own.isEmpty() || own.equals(content)) {
                served.add(claim.candidate());
            } else {
                contested.add(claim.by.member());
            }
        }
        if (!contested.isEmpty()) {
            conflicts.add(new RouteConflict(
                    prefix,
                    served.stream().map(Candidate::member).toList(),
                    List.copyOf(contested)));
        }
        return List.copyOf(served);
    }

    /**
     * Returns the members that serve the longest prefix of a URL.
     *
     * @param host in lower case, with {@code :PORT} when it is not the scheme's default
     * @param path as received, beginning with {@code /}
     * @return sorted by member; empty when no member serves it
     */
    public List<Candidate> candidates(String host, String path) {
        return longest(host, path, all -> all);
    }

    /** Returns the members that cache the longest prefix of a URL with a cache. */
    public List<Candidate> caches(String host, String path) {
        return longest(
                host,
                path,
                all -> all.stream()
                        .filter(candidate -> candidate.route().cache())
                        .toList());
    }

    /**
     * Returns the members without a cache that serve the longest prefix of a URL with such a
     * member.
     */
    public List<Candidate> servers(String host, String path) {
        return longest(
                host,
                path,
                all -> all.stream()
                        .filter(candidate -> !candidate.route().cache())
                        .toList());
    }

    private List<Candidate> longest(
            String host, String path, UnaryOperator<List<Candidate>> which) {
        List<Candidate> named = longest(byHost.get(host), path, which);
        return named.isEmpty() ? longest(byHost.get(UrlPrefix.ANY_HOST), path, which) : named;
    }

    private static List<Candidate> longest(
            @Nullable NavigableMap<String, List<Candidate>> byPath,
            String path,
            UnaryOperator<List<Candidate>> which) {
        if (byPath == null) {
            return List.of();
        }
        // The greatest prefix that is not after the path either is a prefix of it, or shares with
        // it the longest beginning that a shorter prefix can have.
        String rest = path;
        for (Map.Entry<String, List<Candidate>> entry = byPath.floorEntry(rest);
                entry != null;
                entry = rest.isEmpty() ? null : byPath.floorEntry(rest)) {
            if (rest.startsWith(entry.getKey())) {
                List<Candidate> found = which.apply(entry.getValue());
                if (!found.isEmpty()) {
                    return found;
                }
                // A shorter prefix may have members of this kind.
                rest = entry.getKey().substring(0, entry.getKey().length() - 1);
            } else {
                rest = rest.substring(0, common(rest, entry.getKey()));
            }
        }
        return List.of();
    }

    private static int common(String first, String second) {
        int length = Math.min(first.length(), second.length());
        for (int i = 0; i < length; i++) {
            if (first.charAt(i) != second.charAt(i)) {
                return i;
            }
        }
        return length;
    }

    /** Returns the announcements of the table, by member. */
    public List<Announcement> announcements() {
        return announcements;
    }

    /** Returns the prefixes claimed for different contents, sorted. */
    public List<RouteConflict> conflicts() {
        return List.copyOf(conflicts);
    }

    /**
     * Returns the digest of the table: 32 hexadecimal digits of SHA-256 over all announcements.
     * Equal tables have equal digests.
     */
    public String digest() {
        return digest;
    }

    private static String digestOf(List<Announcement> announcements) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (Announcement a : announcements) {
                out.writeUTF(a.member().text());
                out.writeLong(a.incarnation());
                out.writeLong(a.version());
                out.writeUTF(a.line().host());
                out.writeInt(a.line().port());
                out.writeBoolean(a.draining());
                out.writeInt(a.routes().size());
                for (ServedRoute route : a.routes()) {
                    out.writeUTF(route.prefix().toString());
                    out.writeInt(route.weight());
                    out.writeInt(route.capacity());
                    out.writeBoolean(route.cache());
                    out.writeUTF(route.content());
                }
            }
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray()),
                            0,
                            16);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }
}
