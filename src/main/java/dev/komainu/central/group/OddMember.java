package dev.komainu.central.group;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
     * @param figure {@code response}, {@code transfer}, {@code slowResponses},
     *     {@code slowTransfers}, {@code failures}, {@code retransmissions}, {@code troubled},
     *     {@code limit} or {@code share}
     * @param unit {@code millis}, {@code share} or {@code count}
     * @param value of the member
     * @param peersMedian median of the peers
     * @param peersLeast lowest of the peers
     * @param peersMost highest of the peers
     * @param longerThanMillis time from which a response or a transfer is slow; absent for other
     *     figures
     * @param decisive false for the share of requests and the limit, which never name a member by
     *     themselves
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Clue(
            String figure,
            String unit,
            double value,
            double peersMedian,
            double peersLeast,
            double peersMost,
            @Nullable Double longerThanMillis,
            boolean decisive) {}
}
