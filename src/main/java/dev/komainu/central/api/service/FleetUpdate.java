package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.incident.Incident;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code FleetUpdate} of the contract: the whole fleet, or what changed in it.
 *
 * @param version version of the fleet after this update
 * @param full whether this update replaces everything that was sent before
 * @param at instant of the newest assessment
 * @param services whole rows, or rows with their changed members only
 * @param removed ids of services that are gone
 * @param incidents incidents that began or changed
 * @param ended ids of incidents that last no longer
 * @param recent transitions and changes, newest first; absent when there is none since the last
 *     update
 * @param sources the silent and the troubled sources; absent when they are as before
 * @param refused the limits of the fleet that were reached; absent when they are as before
 * @param sharedToken the use of the shared token, with 0 sources when it has ended; absent when it
 *     is as before
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record FleetUpdate(
        String version,
        boolean full,
        Instant at,
        List<?> services,
        List<String> removed,
        List<Incident> incidents,
        List<String> ended,
        @Nullable List<OverviewView.Recent> recent,
        @Nullable List<SourceView> sources,
        @Nullable List<OverviewView.Refused> refused,
        @Nullable SharedTokenView sharedToken) {}
