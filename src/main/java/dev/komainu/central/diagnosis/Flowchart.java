package dev.komainu.central.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.YamlResource;
import dev.komainu.central.state.ServiceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The flowchart as its file writes it.
 *
 * @param version version of the file, stored with each diagnosis
 */
public record Flowchart(String version, List<Node> nodes, List<Edge> edges) {

    private static final String RESOURCE = "/flowcharts/server-management.yaml";

    /**
     * Loads the flowchart file.
     *
     * @throws IllegalStateException with all mistakes of the file
     */
    public static Flowchart load(IndexCatalogue catalogue) {
        Flowchart chart = YamlResource.read(RESOURCE, Flowchart.class);
        List<String> mistakes = new FlowchartCheck(chart, catalogue).mistakes();
        if (!mistakes.isEmpty()) {
            throw new IllegalStateException(RESOURCE + ": " + String.join("; ", mistakes));
        }
        return chart;
    }

    /**
     * A decision or an action.
     *
     * @param title question of a decision, or an action
     * @param why reason why it matters
     * @param paper section it comes from, or {@code own}
     * @param ask measurements that answer it; decisions only
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Node(
            String id,
            Kind kind,
            LocalizedText title,
            @Nullable LocalizedText why,
            @Nullable String paper,
            @Nullable Criteria ask) {}

    /** The kind of a node. */
    public enum Kind {
        START,
        DECISION,
        ACTION,
        END;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public record Edge(String from, String to, Answer answer) {}

    /** The verdict to which an edge belongs. */
    public enum Answer {
        @JsonProperty("yes")
        YES("yes"),
        @JsonProperty("no")
        NO("no"),
        @JsonProperty("next")
        NEXT("next");

        private final String label;

        Answer(String label) {
            this.label = label;
        }

        @JsonValue
        public String label() {
            return label;
        }
    }

    /**
     * The measurements that answer a decision. The verdict is yes when the state is one of
     * {@code states}, when the architecture matches, when any of {@code any} holds, or when every
     * one of {@code all} holds. Without any of these only a user can give the verdict.
     *
     * @param states states with the verdict yes
     * @param types types of table 6.1 with the verdict yes
     * @param servedBy unit that serves a request, with the verdict yes
     * @param any measurements of which one suffices
     * @param all measurements that must agree
     * @param missing collector that would supply missing evidence
     */
    public record Criteria(
            @Nullable List<ServiceState> states,
            @Nullable List<Integer> types,
            Architecture.@Nullable ServedBy servedBy,
            @Nullable List<Condition> any,
            @Nullable List<Condition> all,
            @Nullable List<Missing> missing) {

        /** Returns all conditions of the decision. */
        public List<Condition> conditions() {
            List<Condition> conditions = new ArrayList<>();
            if (any != null) {
                conditions.addAll(any);
            }
            if (all != null) {
                conditions.addAll(all);
            }
            return conditions;
        }

        boolean byPeople() {
            return states == null
                    && types == null
                    && servedBy == null
                    && any == null
                    && all == null;
        }
    }

    /**
     * A missing collector.
     *
     * @param command command to copy; absent when no command helps
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Missing(LocalizedText text, @Nullable String command) {}
}
