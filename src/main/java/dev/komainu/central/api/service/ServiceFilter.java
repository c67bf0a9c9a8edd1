package dev.komainu.central.api.service;

import dev.komainu.central.api.page.Members;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.label.LabelSelector;
import dev.komainu.central.state.ServiceState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a list of services. All conditions must hold; of one condition one value is
 * sufficient.
 *
 * @param states states, kinds of states ({@code saturated}) or {@code problem}
 * @param label labels that the service must have; absent: any
 * @param words words that the service's names and addresses must contain, in lower case
 */
record ServiceFilter(
        List<String> states,
        List<String> kinds,
        @Nullable LabelSelector label,
        List<String> words) {

    /** Every state except {@code normal}. */
    private static final String PROBLEM = "problem";

    /**
     * Reads the parameters.
     *
     * @throws ProblemException 400 with the position of each value that cannot be
     */
    static ServiceFilter of(
            @Nullable List<String> state,
            @Nullable List<String> kind,
            @Nullable String label,
            @Nullable String text) {
        return new ServiceFilter(
                Members.checked("state", state, knownStates()),
                Members.checked("kind", kind, new TreeSet<>(ServiceView.kinds())),
                selector(label),
                text == null
                        ? List.of()
                        : List.of(text.toLowerCase(Locale.ROOT).strip().split("\\s+")));
    }

    private static @Nullable LabelSelector selector(@Nullable String label) {
        if (label == null || label.isBlank()) {
            return null;
        }
        if (!LabelSelector.isSelector(label)) {
            throw ProblemException.invalidField("label", label, LabelSelector.FORM);
        }
        return LabelSelector.parse(label);
    }

    private static Set<String> knownStates() {
        Set<String> known = new LinkedHashSet<>();
        known.add(PROBLEM);
        for (ServiceState.Severity severity : ServiceState.Severity.values()) {
            known.add(name(severity));
        }
        Arrays.stream(ServiceState.values()).map(ServiceState::label).forEach(known::add);
        return known;
    }

    private static String name(ServiceState.Severity severity) {
        return severity.name().toLowerCase(Locale.ROOT);
    }

    boolean accepts(ServiceAssessment service) {
        ServiceState state = service.judgement().state();
        boolean stateFits = states.isEmpty()
                || states.contains(state.label())
                || states.contains(name(state.severity()))
                || (state != ServiceState.NORMAL && states.contains(PROBLEM));
        return stateFits
                && (kinds.isEmpty() || kinds.contains(ServiceView.kindOf(service.profile())))
                && (label == null || label.matches(service.labels()))
                && hasWords(service);
    }

    private boolean hasWords(ServiceAssessment service) {
        if (words.isEmpty()) {
            return true;
        }
        ServiceProfile profile = service.profile();
        List<String> texts = new ArrayList<>(List.of(
                profile.id(),
                profile.name(),
                ServiceView.kindOf(profile),
                service.judgement().state().label()));
        if (profile.node() != null) {
            texts.add(profile.node());
        }
        profile.addresses().forEach(address -> texts.add(address.toString()));
        String text = String.join(" ", texts).toLowerCase(Locale.ROOT);
        return words.stream().allMatch(text::contains);
    }
}
