package dev.komainu.central.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event in a cluster.
 *
 * @param id ascending with the time of the first report
 * @param at by the clock of the member that reported it first
 * @param kind such as {@code joined}, {@code left}, {@code lost}, {@code merged},
 *     {@code routes-changed}
 * @param member absent: the event is not about one member
 * @param text a sentence for people, as the member wrote it
 * @param seenBy members that reported it
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record ClusterEvent(
        long id,
        Instant at,
        String kind,
        @Nullable String member,
        String text,
        List<String> seenBy) {}
