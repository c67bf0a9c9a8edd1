package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.Certainty;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import dev.komainu.telemetry.record.Endpoint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code Service} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record ServiceView(
        String id,
        String name,
        String address,
        List<String> addresses,
        String kind,
        @Nullable String version,
        @Nullable String node,
        @Nullable String originSideOf,
        ServiceState state,
        Instant since,
        LocalizedText cause,
        List<Evidence> evidence,
        List<ServiceState> otherCauses,
        @Nullable Certainty certainty,
        ServiceAssessment.Summary summary,
        Map<String, List<@Nullable Double>> sparklines,
        Instant lastSeen,
        Map<String, String> labels) {

    private static final String OTHER = "other";
    private static final Set<String> KINDS = Set.of(
            "nginx",
            "apache",
            "tomcat",
            "squid",
            "haproxy",
            "varnish",
            "gunicorn",
            "uwsgi",
            "php-fpm",
            "komainu",
            "origin");

    /** The members of a service that follow from its profile. */
    record Identity(
            String address,
            List<String> addresses,
            String kind,
            @Nullable String originSideOf) {

        static Identity of(ServiceProfile profile) {
            return new Identity(
                    mainAddress(profile),
                    profile.addresses().stream().map(Endpoint::toString).toList(),
                    kindOf(profile),
                    OriginSide.proxyOf(profile.id()));
        }
    }

    static ServiceView of(ServiceAssessment service) {
        ServiceProfile profile = service.profile();
        Judgement judgement = service.judgement();
        Identity identity = Identity.of(profile);
        return new ServiceView(
                profile.id(),
                profile.name(),
                identity.address(),
                identity.addresses(),
                identity.kind(),
                profile.version(),
                profile.node(),
                identity.originSideOf(),
                judgement.state(),
                Instant.ofEpochSecond(judgement.sinceSecond()),
                judgement.cause(),
                judgement.evidence(),
                judgement.otherCauses(),
                judgement.certainty(),
                service.summary(),
                service.sparklines(),
                Instant.ofEpochMilli(profile.lastSeenMicros() / 1_000),
                service.labels().values());
    }

    static String kindOf(ServiceProfile profile) {
        return KINDS.contains(profile.kind()) ? profile.kind() : OTHER;
    }

    /** Returns the kinds of the contract. */
    static List<String> kinds() {
        return Stream.concat(KINDS.stream(), Stream.of(OTHER)).toList();
    }

    /** Returns the first address that other hosts can reach, else the first, else the id. */
    private static String mainAddress(ServiceProfile profile) {
        return profile.addresses().stream()
                .filter(address -> !address.address().isLoopbackAddress())
                .findFirst()
                .or(() -> profile.addresses().stream().findFirst())
                .map(Endpoint::toString)
                .orElse(profile.id());
    }
}
