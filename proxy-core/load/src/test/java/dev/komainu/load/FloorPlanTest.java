package dev.komainu.load;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The dependencies of the load: the browsers are independent of the rest of the load, and the load
 * uses only the address classes of the proxy.
 */
@AnalyzeClasses(packages = "dev.komainu.load", importOptions = DoNotIncludeTests.class)
class FloorPlanTest {

    @ArchTest
    static final ArchRule browsersKnowNobody = noClasses()
            .that()
            .resideInAPackage("..load.browser..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.komainu.load");

    @ArchTest
    static final ArchRule aLoadIsNoProxy = noClasses()
            .should()
            .dependOnClassesThat()
            .resideOutsideOfPackages(
                    "dev.komainu.load..",
                    "dev.komainu.intermediary.access..",
                    "dev.komainu.intermediary.connection..",
                    "java..",
                    "javax..",
                    "io.netty..",
                    "org..",
                    "picocli..",
                    "tools..");
}
