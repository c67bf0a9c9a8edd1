package dev.komainu.organizer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The organizer's floors: routes depend on no other package, members depend on routes; the line
 * between two organizers depends on neither.
 */
@AnalyzeClasses(packages = "dev.komainu.organizer", importOptions = DoNotIncludeTests.class)
class FloorPlanTest {

    @ArchTest
    static final ArchRule groupsAreTheMembersOwn = noClasses()
            .that()
            .resideOutsideOfPackage("..organizer.member..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.jgroups..");
}
