package dev.komainu.central;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.List;
import java.util.Map;

/** The plan of the house: data climbs, imports descend, the store is the hinge. */
@AnalyzeClasses(packages = "dev.komainu.central", importOptions = ImportOption.DoNotIncludeTests.class)
class FloorPlanTest {

    private static final String HOUSE = "dev.komainu.central";

    /** Each room with the rooms it may import; from the ground up. A room not listed here has no place yet. */
    private static final Map<String, List<String>> ROOMS = Map.ofEntries(
            Map.entry("settings", List.of()),
            Map.entry("terminal", List.of()),
            Map.entry("store", List.of("settings")),
            Map.entry("access", List.of("settings")),
            Map.entry("change", List.of("settings")),
            Map.entry("caches", List.of("settings")),
            Map.entry("ingest", List.of("settings", "store")),
            Map.entry("fleet", List.of("settings", "store")),
            Map.entry("order", List.of("settings", "store", "change", "ingest", "fleet")),
            Map.entry("indices", List.of("settings", "store", "fleet")),
            Map.entry("capacity", List.of("settings", "store", "fleet", "change")),
            Map.entry("state", List.of("settings", "store", "fleet", "indices")),
            Map.entry("advice", List.of("settings", "store", "fleet", "indices", "state")),
            Map.entry("diagnosis", List.of("settings", "store", "fleet", "indices", "state", "advice")),
            Map.entry(
                    "assessment",
                    List.of("settings", "store", "ingest", "fleet", "indices", "state", "diagnosis", "advice")),
            Map.entry("cluster", List.of("settings", "ingest", "fleet", "state", "assessment")),
            Map.entry("alert", List.of("settings", "store", "fleet", "indices", "state", "assessment", "cluster")),
            Map.entry(
                    "verify",
                    List.of(
                            "settings",
                            "store",
                            "change",
                            "fleet",
                            "indices",
                            "state",
                            "diagnosis",
                            "advice",
                            "assessment")),
            Map.entry(
                    "api",
                    List.of(
                            "settings",
                            "store",
                            "access",
                            "alert",
                            "caches",
                            "capacity",
                            "change",
                            "cluster",
                            "ingest",
                            "fleet",
                            "indices",
                            "state",
                            "diagnosis",
                            "advice",
                            "assessment",
                            "order",
                            "verify")));

    @ArchTest
    static void imports_onlyDescend(JavaClasses house) {
        ROOMS.forEach((room, below) -> ArchRuleDefinition.noClasses()
                .that()
                .resideInAPackage(HOUSE + "." + room + "..")
                .should()
                .dependOnClassesThat(outsideOf(room, below))
                .as(room + " imports only " + below)
                .allowEmptyShould(true)
                .check(house));
    }

    @ArchTest
    static void rooms_areAllOnThePlan(JavaClasses house) {
        ArchRuleDefinition.classes()
                .should()
                .resideInAnyPackage(java.util.stream.Stream.concat(
                                java.util.stream.Stream.of(HOUSE),
                                ROOMS.keySet().stream().map(room -> HOUSE + "." + room + ".."))
                        .toArray(String[]::new))
                .check(house);
    }

    @ArchTest
    static void packages_formNoCircle(JavaClasses house) {
        slices().matching(HOUSE + ".(**)").should().beFreeOfCycles().check(house);
        slices().matching(HOUSE + ".(*)..").should().beFreeOfCycles().check(house);
    }

    @ArchTest
    static void roof_isImportedByNobody(JavaClasses house) {
        ArchRuleDefinition.noClasses()
                .that()
                .resideOutsideOfPackage(HOUSE)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(HOUSE)
                .check(house);
    }

    private static DescribedPredicate<JavaClass> outsideOf(String room, List<String> below) {
        return DescribedPredicate.describe("lie elsewhere in the house", type -> {
            String name = type.getPackageName();
            if (!name.startsWith(HOUSE + ".")) {
                return false;
            }
            String other = name.substring(HOUSE.length() + 1).replaceFirst("\\..*", "");
            return !other.equals(room) && !below.contains(other);
        });
    }
}
