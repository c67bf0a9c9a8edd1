package dev.komainu.central.group;

import java.time.Instant;
import java.util.List;

/**
 * A mirror that differs from its peers.
 *
 * @param service id of the member
 * @param since begin of the first block in which it differed
 * @param evidence the figures that differ, and its share of the requests
 */
public record OddMember(String service, Instant since, List<Clue> evidence) {

    public OddMember {
        evidence = List.copyOf(evidence);
    }

    /**
     * One figure of the member beside those of its peers, of the newest block in which it differed.
     *
     * @param figure {@code response}, {@code transfer}, {@code failures}, {@code retransmissions}
     *     or {@code share}
     * @param unit {@code millis} or {@code share}
     * @param value of the member
     * @param peersMedian median of the peers
     * @param peersLeast lowest of the peers
     * @param peersMost highest of the peers
     * @param decisive false for the share of requests, which never names a member by itself
     */
    public record Clue(
            String figure,
            String unit,
            double value,
            double peersMedian,
            double peersLeast,
            double peersMost,
            boolean decisive) {}
}
