package dev.komainu.central.cluster;

import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.ingest.JudgementSource;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ClusterView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The watched services that correspond to the servers beside organizers, with their judgements. Any
 * thread.
 */
@Component
public class MemberServers implements JudgementSource {

    private static final String LOCAL = "localhost:";

    private final Fleet fleet;
    private final Assessor assessor;

    public MemberServers(Fleet fleet, Assessor assessor) {
        this.fleet = fleet;
        this.assessor = assessor;
    }

    @Override
    public Map<String, String> judgedFor(Batch batch) {
        Map<String, String> states = new LinkedHashMap<>();
        if (batch.records().reversed().stream()
                        .filter(ClusterView.class::isInstance)
                        .findFirst()
                        .orElse(null)
                instanceof ClusterView view) {
            for (ClusterView.Server server : view.servers()) {
                find(view.node(), server.address())
                        .ifPresent(found -> states.put(
                                server.address(), found.judgement().state().label()));
            }
        }
        return states;
    }

    /**
     * Finds the service of a member's server.
     *
     * @param address as the organizer on that node names it
     */
    public Optional<ServiceAssessment> find(@Nullable String node, String address) {
        String literal = address.startsWith(LOCAL)
                ? "127.0.0.1:" + address.substring(LOCAL.length())
                : address;
        String port = address.substring(address.lastIndexOf(':') + 1);
        boolean own = literal.startsWith("127.")
                || literal.startsWith("[::1]")
                || literal.startsWith("::1");
        List<String> names = own && node != null ? List.of(node + ":" + port) : List.of(literal);
        if (own && node != null) {
            // The agent beside the server may use another of its addresses.
            for (ServiceProfile service : fleet.services()) {
                if (node.equals(service.node())
                        && service.addresses().stream()
                                .anyMatch(endpoint -> endpoint.toString().equals(literal))) {
                    names = List.of(service.id());
                }
            }
        }
        return names.stream().flatMap(name -> assessor.find(name).stream()).findFirst();
    }
}
