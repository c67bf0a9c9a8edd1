package dev.komainu.organizer.line;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Dependencies of the line: it uses neither members nor routes nor the proxy. */
@AnalyzeClasses(packages = "dev.komainu.organizer.line", importOptions = DoNotIncludeTests.class)
class FloorPlanTest {

    @ArchTest
    static final ArchRule aLineKnowsNobody = noClasses()
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages(
                    "dev.komainu.organizer.line..",
                    "dev.komainu.intermediary.connection",
                    "dev.komainu.intermediary.tunnel",
                    "dev.komainu.settings",
                    "java..",
                    "javax..",
                    "io.netty..",
                    "org.jspecify..");
}
