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
 * Who serves what, at one moment. Immutable: a new one is swapped in whole, and a request keeps the
 * one it began with.
 *
 * <p>It follows from announcements alone, whatever their order: members with the same announcements
 * have the same table, and {@link #digest()} says so. What changes every second (load, delays) is
 * not in it, see {@link MemberForecasts}.
 *
 * <p>A lookup takes the host by name, then every host; of its prefixes the longest. It costs as
 * many steps in a balanced tree as there are prefixes that the path nearly has, usually one or two.
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

    /** @param announcements at most one of each member, in any order */
    public static ClusterRouteTable of(Collection<Announcement> announcements) {
        return new ClusterRouteTable(announcements.stream()
                .sorted(Comparator.comparing(Announcement::member))
                .toList());
    }

    /**
     * The oldest life wins, then the lesser name: every member decides alike, and a newcomer takes
     * nothing over.
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
     * Who serves the longest prefix of a URL.
     *
     * @param host in lower case, with {@code :PORT} where it is not the scheme's
     * @param path as it was sent, beginning with {@code /}
     * @return sorted by member; empty when nobody serves it
     */
    public List<Candidate> candidates(String host, String path) {
        return longest(host, path, all -> all);
    }

    /** Who caches the longest prefix of a URL that is cached anywhere. */
    public List<Candidate> caches(String host, String path) {
        return longest(
                host,
                path,
                all -> all.stream().filter(one -> one.route().cache()).toList());
    }

    /** Who serves the longest prefix of a URL that anybody but caches serves. */
    public List<Candidate> servers(String host, String path) {
        return longest(
                host,
                path,
                all -> all.stream().filter(one -> !one.route().cache()).toList());
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
        // The greatest prefix not after the path either is one of it, or shares with it all that a
        // shorter one can have.
        String rest = path;
        for (Map.Entry<String, List<Candidate>> at = byPath.floorEntry(rest);
                at != null;
                at = rest.isEmpty() ? null : byPath.floorEntry(rest)) {
            if (rest.startsWith(at.getKey())) {
                List<Candidate> found = which.apply(at.getValue());
                if (!found.isEmpty()) {
                    return found;
                }
                // A shorter one may have some of this kind.
                rest = at.getKey().substring(0, at.getKey().length() - 1);
            } else {
                rest = rest.substring(0, common(rest, at.getKey()));
            }
        }
        return List.of();
    }

    private static int common(String one, String other) {
        int length = Math.min(one.length(), other.length());
        for (int i = 0; i < length; i++) {
            if (one.charAt(i) != other.charAt(i)) {
                return i;
            }
        }
        return length;
    }

    /** What it was made of, by member. */
    public List<Announcement> announcements() {
        return announcements;
    }

    /** Prefixes claimed for different contents, sorted. */
    public List<RouteConflict> conflicts() {
        return List.copyOf(conflicts);
    }

    /** Equal wherever the table is: 32 hexadecimal digits of SHA-256 over all announcements. */
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
