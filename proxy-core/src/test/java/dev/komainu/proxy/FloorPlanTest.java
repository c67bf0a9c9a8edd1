package dev.komainu.proxy;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The floors of the house: imports descend, and no room needs another that needs it. */
@AnalyzeClasses(packages = "dev.komainu.proxy", importOptions = DoNotIncludeTests.class)
class FloorPlanTest {

    @ArchTest
    static final ArchRule importsDescend = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("dev.komainu.proxy..")
            .layer("server")
            .definedBy("dev.komainu.proxy")
            .optionalLayer("report")
            .definedBy("..proxy.report..")
            .optionalLayer("control")
            .definedBy("..proxy.control..")
            .layer("acceptor")
            .definedBy("..proxy.acceptor..")
            .layer("exchange")
            .definedBy("..proxy.exchange..")
            .layer("tls")
            .definedBy("..proxy.tls..")
            .layer("deliver")
            .definedBy("..proxy.deliver..")
            .layer("purge")
            .definedBy("..proxy.purge..")
            .layer("fetch")
            .definedBy("..proxy.fetch..")
            .layer("route")
            .definedBy("..proxy.route..")
            .optionalLayer("tunnel")
            .definedBy("..proxy.tunnel..")
            .layer("upstream")
            .definedBy("..proxy.upstream..")
            .layer("buffer")
            .definedBy("..proxy.buffer..")
            .layer("connection")
            .definedBy("..proxy.connection..")
            .layer("cache")
            .definedBy("..proxy.cache..")
            .layer("disk")
            .definedBy("..proxy.disk..")
            .layer("peak")
            .definedBy("..proxy.peak..")
            .layer("tally")
            .definedBy("..proxy.tally..")
            .layer("log")
            .definedBy("..proxy.log..")
            .layer("http")
            .definedBy("..proxy.http..")
            .whereLayer("server")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("report")
            .mayOnlyBeAccessedByLayers("server", "control")
            .whereLayer("control")
            .mayOnlyBeAccessedByLayers("server")
            .whereLayer("acceptor")
            .mayOnlyBeAccessedByLayers("server", "control", "report")
            .whereLayer("exchange")
            .mayOnlyBeAccessedByLayers("acceptor", "server", "control", "report")
            .whereLayer("tls")
            .mayOnlyBeAccessedByLayers("acceptor", "server", "control", "report")
            .whereLayer("deliver")
            .mayOnlyBeAccessedByLayers("exchange", "server", "control", "report")
            .whereLayer("purge")
            .mayOnlyBeAccessedByLayers("exchange", "server", "control")
            .whereLayer("disk")
            .mayOnlyBeAccessedByLayers("fetch", "purge", "exchange", "control", "report", "server")
            .whereLayer("peak")
            .mayOnlyBeAccessedByLayers("control", "server")
            .whereLayer("fetch")
            .mayOnlyBeAccessedByLayers("deliver", "purge", "exchange", "server", "control", "report")
            .whereLayer("tunnel")
            .mayOnlyBeAccessedByLayers("exchange")
            .whereLayer("buffer")
            .mayOnlyBeAccessedByLayers("upstream", "fetch", "exchange", "acceptor", "server", "control", "report")
            .whereLayer("log")
            .mayOnlyBeAccessedByLayers("exchange", "control", "server")
            .whereLayer("route")
            .mayOnlyBeAccessedByLayers("exchange", "control", "server");

    @ArchTest
    static final ArchRule noCircles =
            slices().matching("dev.komainu.proxy.(*)..").should().beFreeOfCycles();
}
