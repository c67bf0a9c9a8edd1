package dev.komainu.telemetry;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The floors of this module: report → wire → record, and never the other way. */
@AnalyzeClasses(packages = "dev.komainu.telemetry", importOptions = ImportOption.DoNotIncludeTests.class)
class FloorPlanTest {

    @ArchTest
    static final ArchRule importsGoDownOnly = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("report")
            .definedBy("..report..")
            .layer("wire")
            .definedBy("..wire..")
            .layer("record")
            .definedBy("..record..")
            .whereLayer("report")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("wire")
            .mayOnlyBeAccessedByLayers("report")
            .whereLayer("record")
            .mayOnlyBeAccessedByLayers("wire", "report");

    @ArchTest
    static final ArchRule roomsFormNoCircle =
            slices().matching("dev.komainu.telemetry.(*)..").should().beFreeOfCycles();
}
