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
 * @param version kept with each diagnosis
 */
public record Flowchart(String version, List<Node> nodes, List<Edge> edges) {

    private static final String RESOURCE = "/flowcharts/server-management.yaml";

    /** @throws IllegalStateException naming every mistake at once */
    public static Flowchart load(IndexCatalogue catalogue) {
        Flowchart chart = YamlResource.read(RESOURCE, Flowchart.class);
        List<String> mistakes = new FlowchartCheck(chart, catalogue).mistakes();
        if (!mistakes.isEmpty()) {
            throw new IllegalStateException(RESOURCE + ": " + String.join("; ", mistakes));
        }
        return chart;
    }

    /**
     * @param title what is asked, or to be done
     * @param why why it matters
     * @param paper section it comes from, or {@code own}
     * @param ask what answers it; decisions only
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Node(
            String id,
            Kind kind,
            LocalizedText title,
            @Nullable LocalizedText why,
            @Nullable String paper,
            @Nullable Ask ask) {}

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

    /** The answer that an edge stands for. */
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
     * The measurements that answer a decision. The answer is yes when the state is one of
     * {@code states}, when the architecture matches, when any of {@code any} holds, or when every
     * one of {@code all} holds. Without any of these only a person can answer.
     *
     * @param states states that answer yes
     * @param types types of table 6.1 that answer yes
     * @param servedBy what serves a request, where that answers yes
     * @param any measurements of which one suffices
     * @param all measurements that must agree
     * @param missing what would supply the evidence where it is missing
     */
    public record Ask(
            @Nullable List<ServiceState> states,
            @Nullable List<Integer> types,
            Architecture.@Nullable ServedBy servedBy,
            @Nullable List<Condition> any,
            @Nullable List<Condition> all,
            @Nullable List<Missing> missing) {

        /** Everything it measures. */
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

    /** @param command to be copied as it is; absent where none helps */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Missing(LocalizedText text, @Nullable String command) {}
}
