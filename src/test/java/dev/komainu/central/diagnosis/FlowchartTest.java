package dev.komainu.central.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.komainu.central.advice.AdviceCatalogue;
import dev.komainu.central.diagnosis.Flowchart.Answer;
import dev.komainu.central.diagnosis.Flowchart.Criteria;
import dev.komainu.central.diagnosis.Flowchart.Edge;
import dev.komainu.central.diagnosis.Flowchart.Kind;
import dev.komainu.central.diagnosis.Flowchart.Node;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the flowchart's file, and of its check. */
class FlowchartTest {

    private final IndexCatalogue catalogue = new IndexCatalogue();
    private final LocalizedText text = LocalizedText.of("a", "あ");

    @Test
    void load_committedFile_isSound() {
        assertThatCode(() -> Flowchart.load(catalogue)).doesNotThrowAnyException();
    }

    @Test
    void adviceBook_everyLeaf_isAnActionOfTheFlowchart() {
        Flowchart chart = Flowchart.load(catalogue);

        assertThat(chart.nodes().stream()
                        .filter(node -> node.kind() == Kind.ACTION)
                        .map(Node::id))
                .containsAll(new AdviceCatalogue(catalogue).leaves());
    }

    @Test
    void adviceBook_everyActionOfTheFlowchart_hasAdvice() {
        assertThat(new AdviceCatalogue(catalogue).leaves())
                .containsAll(Flowchart.load(catalogue).nodes().stream()
                        .filter(node -> node.kind() == Kind.ACTION)
                        .map(Node::id)
                        .toList());
    }

    @Test
    void check_decisionOnAMeasurementThatDoesNotExist_isNamed() {
        Condition condition =
                new Condition("loadAverage", null, Condition.Comparison.ABOVE, 1, "own", null);
        Criteria ask = new Criteria(
                null,
                null,
                null,
                List.of(condition),
                null,
                List.of(new Flowchart.Missing(text, null)));

        assertThat(mistakes(ask))
                .containsExactly("busy: loadAverage (expected: the name of an index)");
    }

    @Test
    void check_severalMistakes_areReportedTogether() {
        Flowchart chart = new Flowchart(
                "1",
                List.of(
                        new Node("start", Kind.START, text, null, null, null),
                        new Node("lost", Kind.ACTION, text, null, null, null)),
                List.of(new Edge("start", "nowhere", Answer.NEXT)));

        assertThat(new FlowchartCheck(chart, catalogue).mistakes())
                .containsExactlyInAnyOrder(
                        "start → nowhere: no such node",
                        "lost: edges [] (expected: [NEXT])",
                        "lost: never reached");
    }

    private List<String> mistakes(Criteria ask) {
        Flowchart chart = new Flowchart(
                "1",
                List.of(
                        new Node("start", Kind.START, text, null, null, null),
                        new Node("busy", Kind.DECISION, text, null, null, ask),
                        new Node("end", Kind.END, text, null, null, null)),
                List.of(
                        new Edge("start", "busy", Answer.NEXT),
                        new Edge("busy", "end", Answer.YES),
                        new Edge("busy", "end", Answer.NO)));
        return new FlowchartCheck(chart, catalogue).mistakes();
    }
}
