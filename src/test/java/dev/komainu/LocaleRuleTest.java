package dev.komainu;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import java.io.Console;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.text.Collator;
import java.text.DateFormat;
import java.text.DecimalFormatSymbols;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Formatter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * No program text depends on the machine's locale: file names, configuration, JSON, logs and
 * reports are the same everywhere. In a Persian locale {@code %d} writes other digits than the
 * reader expects, in a Turkish one {@code "TITLE".toLowerCase()} is not {@code "title"}. The rule
 * covers the main classes of every module.
 */
class LocaleRuleTest {

    /** Methods that ask for the default locale unless a parameter says which. */
    private static final Map<Class<?>, Set<String>> ASK = Map.ofEntries(
            Map.entry(String.class, Set.of("format", "formatted", "toLowerCase", "toUpperCase")),
            Map.entry(PrintStream.class, Set.of("format", "printf")),
            Map.entry(PrintWriter.class, Set.of("format", "printf")),
            Map.entry(Console.class, Set.of("format", "printf", "readLine", "readPassword")),
            Map.entry(Formatter.class, Set.of("<init>")),
            Map.entry(
                    DateTimeFormatter.class,
                    Set.of("ofPattern", "ofLocalizedDate", "ofLocalizedTime")),
            Map.entry(DateTimeFormatterBuilder.class, Set.of("toFormatter")),
            Map.entry(java.text.DecimalFormat.class, Set.of("<init>")),
            Map.entry(java.text.SimpleDateFormat.class, Set.of("<init>")),
            Map.entry(MessageFormat.class, Set.of("<init>", "format")),
            Map.entry(
                    NumberFormat.class,
                    Set.of(
                            "getInstance",
                            "getNumberInstance",
                            "getIntegerInstance",
                            "getPercentInstance")),
            Map.entry(
                    DateFormat.class, Set.of("getInstance", "getDateInstance", "getTimeInstance")),
            Map.entry(Collator.class, Set.of("getInstance")),
            Map.entry(Locale.class, Set.of("getDefault")));

    private static final DescribedPredicate<JavaAccess<?>> ASKS_FOR_THE_DEFAULT_LOCALE =
            DescribedPredicate.describe("asks for the default locale", LocaleRuleTest::asks);

    private static boolean asks(JavaAccess<?> access) {
        if (!(access.getTarget() instanceof CodeUnitAccessTarget target)) {
            return false;
        }
        boolean says = target.getRawParameterTypes().stream()
                .anyMatch(type -> type.isEquivalentTo(Locale.class)
                        || type.isEquivalentTo(DecimalFormatSymbols.class));
        return !says
                && ASK.entrySet().stream()
                        .anyMatch(each -> target.getOwner().isEquivalentTo(each.getKey())
                                && each.getValue().contains(target.getName()));
    }

    @Test
    void mainClassesOfEveryModule_nameTheLocale() {
        Modules.classes()
                .forEach((module, classes) -> noClasses()
                        .should()
                        .accessTargetWhere(ASKS_FOR_THE_DEFAULT_LOCALE)
                        .because("text must be the same on every machine: pass Locale.ROOT")
                        .check(classes));
    }
}
