package dev.komainu.central.api.group;

import dev.komainu.central.api.guard.ServiceGroups;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.label.LabelSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** The groups of the newest assessment: a label counts from the next second on. Any thread. */
@Component
class AssessedGroups implements ServiceGroups {

    private final Assessor assessor;

    AssessedGroups(Assessor assessor) {
        this.assessor = assessor;
    }

    @Override
    public boolean contains(String selector, String service) {
        if (!LabelSelector.isSelector(selector)) {
            return false;
        }
        LabelSelector group = LabelSelector.parse(selector);
        return assessor.find(service)
                .filter(found -> group.matches(found.labels()))
                .isPresent();
    }

    @Override
    public List<String> reached(String service, boolean host) {
        Optional<ServiceAssessment> found = assessor.find(service);
        if (found.isEmpty()) {
            return List.of(service);
        }
        ServiceProfile changed = found.get().profile();
        List<String> reached = new ArrayList<>();
        for (ServiceAssessment other : assessor.latest().services()) {
            ServiceProfile profile = other.profile();
            boolean onHost =
                    changed.node() != null && Objects.equals(profile.node(), changed.node());
            boolean ofProcess = changed.processId() != null
                    && Objects.equals(profile.processId(), changed.processId());
            if (onHost && (host || ofProcess)) {
                reached.add(profile.id());
            }
        }
        return reached;
    }
}
