package dev.komainu.organizer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The organizer's floors: routes know nobody, members know routes; the line between two organizers knows neither. */
@AnalyzeClasses(packages = "dev.komainu.organizer", importOptions = DoNotIncludeTests.class)
class FloorPlanTest {

    @ArchTest
    static final ArchRule importsDescend = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("dev.komainu.organizer..")
            .optionalLayer("program")
            .definedBy("dev.komainu.organizer")
            .optionalLayer("control")
            .definedBy("..organizer.control..")
            .layer("report")
            .definedBy("..organizer.report..")
            .layer("service")
            .definedBy("..organizer.service..")
            .layer("front")
            .definedBy("..organizer.front..")
            .optionalLayer("member")
            .definedBy("..organizer.member..")
            .layer("route")
            .definedBy("..organizer.route..")
            .optionalLayer("server")
            .definedBy("..organizer.server..")
            .optionalLayer("line")
            .definedBy("..organizer.line..")
            .layer("page")
            .definedBy("..organizer.page..")
            .optionalLayer("bench")
            .definedBy("..organizer.bench..")
            .whereLayer("program")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("control")
            .mayOnlyBeAccessedByLayers("program")
            .whereLayer("report")
            .mayOnlyBeAccessedByLayers("program")
            .whereLayer("service")
            .mayOnlyBeAccessedByLayers("program", "control")
            .whereLayer("front")
            .mayOnlyBeAccessedByLayers("program", "control", "report", "service")
            .whereLayer("member")
            .mayOnlyBeAccessedByLayers("program", "control", "report")
            .whereLayer("server")
            .mayOnlyBeAccessedByLayers("program", "front")
            .whereLayer("page")
            .mayOnlyBeAccessedByLayers("program", "control", "front")
            .whereLayer("bench")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("line")
            .mayOnlyBeAccessedByLayers("program", "control", "report", "service", "front", "bench")
            .whereLayer("route")
            .mayOnlyBeAccessedByLayers("program", "control", "report", "service", "front", "member", "server");

    @ArchTest
    static final ArchRule noCircles =
            slices().matching("dev.komainu.organizer.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule groupsAreTheMembersOwn = noClasses()
            .that()
            .resideOutsideOfPackage("..organizer.member..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.jgroups..");
}
