package dev.komainu.central.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of the size of {@code /metrics}. */
class ServiceFiguresTest {

    private static final int MEGABYTE = 1_000_000;

    private final IndexCatalogue catalogue = new IndexCatalogue();

    @Test
    void catalogue_hasEveryFirstIndex() {
        assertThat(catalogue.all())
                .extracting(IndexDefinition::name)
                .containsAll(ServiceFigures.FIRST);
    }

    @Test
    void manyServices_takeAMegabyte_andLeaveOutWholeIndices() {
        String text = text(500, null);

        assertThat(text.length()).isBetween(MEGABYTE / 2, MEGABYTE);
        assertThat(text).contains("# TYPE komainu_service_response_p95_seconds");
        text.lines()
                .filter(line -> line.startsWith("# TYPE komainu_service_"))
                .map(line -> line.split(" ")[2])
                .forEach(name -> assertThat(text.lines()
                                .filter(line -> line.startsWith(name + "{"))
                                .count())
                        .as(name)
                        .isEqualTo(500));
        assertThat(text).containsPattern("(?m)^komainu_metrics_omitted_indices [1-9]");
    }

    @Test
    void fewServices_haveAllIndices() {
        String text = text(10, null);

        assertThat(text).contains("komainu_metrics_omitted_indices 0.0");
        assertThat(text.lines().filter(line -> line.startsWith("# TYPE komainu_service_")))
                .hasSize(catalogue.all().size() + 1);
    }

    @Test
    void namedIndices_areComplete_howeverLongTheyAre() {
        List<String> all = catalogue.all().stream().map(IndexDefinition::name).toList();

        assertThat(text(500, all))
                .hasSizeGreaterThan(MEGABYTE)
                .contains("komainu_metrics_omitted_indices 0.0");
    }

    private String text(int services, @Nullable List<String> indices) {
        Map<String, Double> values = new HashMap<>();
        catalogue.all().forEach(index -> values.put(index.name(), Math.PI / 1_000));
        List<ServiceAssessment> fleet = IntStream.range(0, services)
                .mapToObj(i -> service("host-" + i + ":8000", values))
                .toList();
        return ServiceFigures.text(ServiceFigures.collect(
                fleet,
                FigureSelection.of(null, indices, catalogue),
                ServiceFigures.byImportance(catalogue)));
    }

    private static ServiceAssessment service(String id, Map<String, Double> values) {
        return new ServiceAssessment(
                new ServiceProfile(
                        id, null, id, "nginx", null, List.of(), null, null, List.of(), Set.of(), 0,
                        0),
                1_000,
                new Judgement(
                        ServiceState.NORMAL,
                        900,
                        "rule",
                        LocalizedText.of("cause", "cause"),
                        List.of(),
                        List.of(),
                        null),
                new ServiceAssessment.Summary(null, null, null, null, null, null, null, null, null),
                Map.of(),
                values,
                false);
    }
}
