package dev.komainu.central.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.diagnosis.ArchitectureDetection;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.ScenarioRun;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The advice for the application pool behind a web server. */
class PoolAdviceTest {

    private static final String FILE = "/etc/php/8.2/fpm/pool.d/www.conf";

    private final AdviceCatalogue book = new AdviceCatalogue(new IndexCatalogue());
    private final MeasurementView view = ScenarioRun.of("/cases/all-well.yaml").view();

    @Test
    void advise_workersShort_raisesTheChildrenOfThePool() {
        Advice children =
                book.advise(service(true), List.of("set-processes"), view).getFirst();

        assertThat(children.id()).isEqualTo("php-fpm/max-children");
        assertThat(children.setting()).isEqualTo("pool:pm.max_children");
        assertThat(children.current()).isEqualTo("5");
        assertThat(children.file()).isEqualTo(FILE);
        assertThat(children.line()).isEqualTo(125);
        assertThat(Integer.parseInt(children.proposed())).isGreaterThan(5);
        assertThat(children.steps())
                .extracting(Advice.Step::command)
                .anySatisfy(command -> assertThat(command).contains("125s/", "pm.max_children"))
                .anySatisfy(command -> assertThat(command).contains("kill -USR2 4711"));
    }

    @Test
    void advise_noPool_orNobodyWaitsForIt_saysNothingOfIt() {
        assertThat(book.advise(service(false), List.of("set-processes"), view))
                .noneMatch(advice -> advice.setting().startsWith("pool:"));
        assertThat(book.advise(service(true), List.of("mend-upstream"), view))
                .noneMatch(advice -> advice.setting().startsWith("pool:"));
    }

    @Test
    void architecture_isThatOfThePool() {
        assertThat(ArchitectureDetection.of(service(true), view).manyProcesses())
                .isTrue();
        assertThat(ArchitectureDetection.of(service(false), view).manyProcesses())
                .isFalse();
    }

    @Test
    void pool_processThatIsNoNumber_isUnknown() {
        ServiceProfile pool = service(true, "47x11").pool();
        assertThat(pool).isNotNull().extracting(ServiceProfile::processId).isNull();
    }

    private static ServiceProfile service(boolean pooled) {
        return service(pooled, "4711");
    }

    private static ServiceProfile service(boolean pooled, String process) {
        List<Setting> settings = new ArrayList<>();
        settings.add(new Setting("worker_processes", "1", "/etc/nginx/nginx.conf:2"));
        if (pooled) {
            settings.add(new Setting("pool:kind", "php-fpm", "unix:/run/php/php8.2-fpm.sock"));
            settings.add(new Setting("pool:process", process, "unix:/run/php/php8.2-fpm.sock"));
            settings.add(new Setting("pool:pm", "dynamic", FILE + ":114"));
            settings.add(new Setting("pool:pm.max_children", "5", FILE + ":125"));
        }
        return new ServiceProfile(
                "web-01:80",
                "web-01",
                "nginx :80",
                "nginx",
                null,
                List.of(),
                1_234L,
                null,
                settings,
                Set.of(),
                0,
                0);
    }
}
