package dev.komainu.central.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a cluster.
 *
 * @param id ascending with the time it was first told
 * @param at by the clock of who told it first
 * @param kind such as {@code joined}, {@code left}, {@code lost}, {@code merged},
 *     {@code routes-changed}
 * @param member absent: it is about no single one
 * @param text a sentence for people, as the member wrote it
 * @param seenBy members that told it
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record ClusterEvent(
        long id,
        Instant at,
        String kind,
        @Nullable String member,
        String text,
        List<String> seenBy) {}
