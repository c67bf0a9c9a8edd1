package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The main classes of all modules, as Maven has compiled them. */
final class Modules {

    /** From the ground up; each has a package of its own below dev.komainu. */
    static final List<String> ALL = List.of(
            "monitor/settings",
            "monitor/codecs",
            "monitor/telemetry",
            "monitor/agent",
            "proxy-core/intermediary",
            "proxy-core/organizer",
            "proxy-core/load",
            "proxy-core/proxy",
            "proxy-core/bench",
            "src");

    private Modules() {}

    static String rootPackage(String module) {
        return "dev.komainu."
                + (module.equals("src") ? "central" : module.substring(module.indexOf('/') + 1));
    }

    static Map<String, JavaClasses> classes() {
        Map<String, JavaClasses> all = new LinkedHashMap<>();
        for (String module : ALL) {
            JavaClasses classes = new ClassFileImporter()
                    .importPath(Path.of("..").resolve(module).resolve("target/classes"));
            assertThat(classes.stream().filter(JavaClass::isTopLevelClass).count())
                    .as("classes of %s", module)
                    .isPositive();
            all.put(module, classes);
        }
        return all;
    }
}
