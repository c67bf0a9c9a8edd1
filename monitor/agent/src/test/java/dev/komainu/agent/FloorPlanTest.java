package dev.komainu.agent;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Imports go down only: packets know no connections, connections no windows, the host no packets; only main sees all. */
@AnalyzeClasses(packages = "dev.komainu.agent", importOptions = ImportOption.DoNotIncludeTests.class)
class FloorPlanTest {

    @ArchTest
    static final ArchRule floors = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("main")
            .definedBy("dev.komainu.agent")
            .layer("summary")
            .definedBy("..agent.summary..")
            .layer("connection")
            .definedBy("..agent.connection..")
            .layer("settings")
            .definedBy("..agent.settings..")
            .layer("evidence")
            .definedBy("..agent.evidence..")
            .layer("packet")
            .definedBy("..agent.packet..")
            .layer("accesslog")
            .definedBy("..agent.accesslog..")
            .layer("discovery")
            .definedBy("..agent.discovery..")
            .layer("order")
            .definedBy("..agent.order..")
            .layer("host")
            .definedBy("..agent.host..")
            .whereLayer("main")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("summary")
            .mayOnlyBeAccessedByLayers("main")
            .whereLayer("connection")
            .mayOnlyBeAccessedByLayers("summary", "settings", "main")
            .whereLayer("evidence")
            .mayOnlyBeAccessedByLayers("settings", "main")
            .whereLayer("packet")
            .mayOnlyBeAccessedByLayers("connection", "summary", "evidence", "main")
            .whereLayer("accesslog")
            .mayOnlyBeAccessedByLayers("main")
            .whereLayer("discovery")
            .mayOnlyBeAccessedByLayers("order", "main")
            .whereLayer("order")
            .mayOnlyBeAccessedByLayers("main")
            .whereLayer("host")
            .mayOnlyBeAccessedByLayers("discovery", "order", "settings", "main");

    @ArchTest
    static final ArchRule noCircles =
            slices().matching("dev.komainu.agent.(*)..").should().beFreeOfCycles();
}
