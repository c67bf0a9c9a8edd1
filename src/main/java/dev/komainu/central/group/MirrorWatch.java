package dev.komainu.central.group;

import dev.komainu.central.group.OddMember.Clue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of mirrors with each other, block by block. A block is {@value #BLOCK_SECONDS} s.
 *
 * <p>A member is compared with the median, the lowest and the highest of its peers, so that it
 * takes part in no figure that it is compared with; see {@link Difference}. It is named when one
 * figure differed in the same direction in {@value #NAMED} of the last {@value #LOOK} blocks, and
 * it stays named until no figure differed in {@value #CLEAR} blocks. Equal mirrors differ now and
 * then in a block, by chance or because clients are uneven, but not in six of seven. A state is
 * judged from the evidence of some seconds already: {@value #NAMED_TROUBLED} blocks are enough,
 * except when a peer was in such a state, too, within the last {@value #LOOK} blocks. Mirrors that
 * are in trouble in turn have a reason that they share, such as a busy host. A member whose
 * settings allow less at once than those of all peers differs for a reason that is known:
 * {@value #NAMED_LIMITED} blocks are enough for each figure.
 *
 * <p>A member with at least {@value #LOADED} times the requests of its peers is not named for
 * higher times or more failures: the load explains them, and the balancer is to be looked at. It is
 * named when it has carried this load before without a difference; see {@link CarriedLoad}. A
 * member needs two peers with enough requests. Not thread-safe.
 */
final class MirrorWatch {

    static final int BLOCK_SECONDS = 5;
    static final int LOOK = 7;
    static final int NAMED = 6;
    static final int NAMED_TROUBLED = 5;
    static final int NAMED_LIMITED = 2;
    static final int CLEAR = 12;

    /** More blocks than are looked at. */
    private static final int NEVER = LOOK + 1;

    static final double LOADED = 1.5;

    /** Peers that a member is compared with, at least. */
    static final int LEAST_PEERS = 2;

    private final Map<String, Member> members = new HashMap<>();

    /** The recent directions of one member, newest last, and its finding. */
    private static final class Member {
        private final EnumMap<Difference, int[]> directions = new EnumMap<>(Difference.class);
        private final EnumMap<Difference, Clue> clues = new EnumMap<>(Difference.class);
        private final CarriedLoad carried = new CarriedLoad();
        private long blocks;
        private int quiet;
        private long firstOddSecond = Long.MIN_VALUE;
        private @Nullable OddMember named;

        boolean wasTroubled() {
            int[] recent = directions.get(Difference.TROUBLED);
            return recent != null && Arrays.stream(recent).anyMatch(each -> each > 0);
        }
    }

    /**
     * Compares one block of all mirrors.
     *
     * @param endSecond last second of the block
     * @param block by service; members without data may be absent
     */
    void add(long endSecond, Map<String, MirrorWindow> block) {
        members.keySet().retainAll(block.keySet());
        Set<String> troubled = members.entrySet().stream()
                .filter(member -> member.getValue().wasTroubled())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        block.forEach((service, own) -> {
            Member member = members.computeIfAbsent(service, id -> new Member());
            List<MirrorWindow> peers = new ArrayList<>();
            block.forEach((other, window) -> {
                if (!other.equals(service)) {
                    peers.add(window);
                }
            });
            boolean isTroubleElsewhere =
                    troubled.stream().anyMatch(other -> !other.equals(service));
            judge(service, member, own, peers, isTroubleElsewhere, endSecond);
        });
    }

    private static void judge(
            String service,
            Member member,
            MirrorWindow own,
            List<MirrorWindow> peers,
            boolean isTroubleElsewhere,
            long endSecond) {
        double[] requests =
                peers.stream().mapToDouble(MirrorWindow::requests).sorted().toArray();
        boolean isLoaded = requests.length > 0
                && own.requests() >= LOADED * Math.max(1, median(requests))
                && !member.carried.covers(own.requests());
        Optional<Clue> limit = lowestLimit(own, peers);
        boolean differs = false;
        boolean isUnlike = false;
        boolean isNamed = false;
        for (Difference difference : Difference.values()) {
            Optional<Difference.Finding> found = difference.compare(own, peers, LEAST_PEERS);
            isUnlike |= found.isPresent();
            if (isLoaded && difference.growsWithLoad()) {
                found = found.filter(each -> each.direction() < 0);
            }
            found.ifPresent(each -> member.clues.put(difference, each.clue()));
            int direction = found.map(Difference.Finding::direction).orElse(0);
            int[] recent = member.directions.computeIfAbsent(difference, any -> new int[LOOK]);
            recent[(int) (member.blocks % LOOK)] = direction;
            differs |= direction != 0;
            isNamed |= Arrays.stream(recent).filter(each -> each > 0).count()
                            >= needed(difference, limit.isPresent(), isTroubleElsewhere)
                    || Arrays.stream(recent).filter(each -> each < 0).count() >= NAMED;
        }
        member.blocks++;
        if (member.named == null) {
            member.carried.add(own.requests(), isUnlike);
        }
        if (differs) {
            if (member.quiet >= LOOK || member.firstOddSecond == Long.MIN_VALUE) {
                member.firstOddSecond = endSecond - BLOCK_SECONDS + 1;
            }
            member.quiet = 0;
        } else {
            member.quiet++;
        }
        if (member.quiet >= CLEAR) {
            member.named = null;
            member.clues.clear();
            member.firstOddSecond = Long.MIN_VALUE;
        } else if (isNamed || member.named != null) {
            List<Clue> clues = new ArrayList<>(member.clues.values());
            limit.ifPresent(clues::add);
            share(own, requests).ifPresent(clues::add);
            member.named = new OddMember(
                    service,
                    member.named == null
                            ? Instant.ofEpochSecond(member.firstOddSecond)
                            : member.named.since(),
                    clues);
        }
    }

    private static int needed(
            Difference difference, boolean isLimited, boolean isTroubleElsewhere) {
        if (isLimited) {
            return NAMED_LIMITED;
        }
        if (difference == Difference.TROUBLED) {
            return isTroubleElsewhere ? NEVER : NAMED_TROUBLED;
        }
        return NAMED;
    }

    /** Returns the limit of a member that is lower than the limits of all peers. */
    private static Optional<Clue> lowestLimit(MirrorWindow own, List<MirrorWindow> peers) {
        Double limit = own.limit();
        double[] others = peers.stream()
                .map(MirrorWindow::limit)
                .flatMap(Stream::ofNullable)
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        if (limit == null
                || others.length < Math.max(LEAST_PEERS, peers.size())
                || limit >= others[0]) {
            return Optional.empty();
        }
        return Optional.of(new Clue(
                "limit",
                "count",
                limit,
                median(others),
                others[0],
                others[others.length - 1],
                null,
                false));
    }

    /** Returns the share of the requests of all mirrors, beside the shares of the peers. */
    private static Optional<Clue> share(MirrorWindow own, double[] peers) {
        double all = own.requests() + Arrays.stream(peers).sum();
        return all <= 0 || peers.length == 0
                ? Optional.empty()
                : Optional.of(new Clue(
                        "share",
                        "share",
                        own.requests() / all,
                        median(peers) / all,
                        peers[0] / all,
                        peers[peers.length - 1] / all,
                        null,
                        false));
    }

    static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns the members that differ now, by id. */
    List<OddMember> named() {
        Map<String, OddMember> named = new TreeMap<>();
        members.forEach((service, member) -> {
            if (member.named != null) {
                named.put(service, member.named);
            }
        });
        return List.copyOf(named.values());
    }
}
