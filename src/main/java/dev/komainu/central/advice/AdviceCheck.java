package dev.komainu.central.advice;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LocalizedText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A check of the advice catalogue: reports names that are not measured, formulas that do not parse,
 * and places and effects without commands.
 */
final class AdviceCheck {

    private static final Set<String> PLACES =
            Set.of("current", "proposed", "file", "service", "port", "pid", "unit");

    private static final Pattern WORD = Pattern.compile("[A-Za-z]\\w+");

    private static final String CAPACITY = "{capacity}";

    private final IndexCatalogue catalogue;
    private final List<String> mistakes = new ArrayList<>();

    AdviceCheck(Collection<AdvicePage> pages, IndexCatalogue catalogue) {
        this.catalogue = catalogue;
        Set<String> ids = new HashSet<>();
        for (AdvicePage page : pages) {
            page.syntaxes().forEach((name, syntax) -> {
                if (syntax.add() == null || syntax.remove() == null || syntax.verify() == null) {
                    mistakes.add(page.name() + " " + name + ": expected: add, remove and verify");
                }
            });
            page.let()
                    .forEach((name, formula) ->
                            formula(page.name() + " " + name, formula, Set.of()));
            for (AdviceItem item : page.items()) {
                twice(ids, item.id());
                check(page, item);
            }
            for (AdvicePage.ObsoleteItem item : page.obsolete()) {
                twice(ids, item.id());
            }
            for (AdvicePage.InstructionItem item : page.instructions()) {
                twice(ids, item.id());
                places(page, item.id(), item.text().en().replace(CAPACITY, ""));
                places(page, item.id(), item.text().ja().replace(CAPACITY, ""));
                if (item.when() != null) {
                    item.when()
                            .forEach(condition -> condition.check(item.id(), catalogue, mistakes));
                }
                if (item.measured() != null) {
                    symbols(item.id(), item.measured().en());
                    symbols(item.id(), item.measured().ja());
                }
            }
        }
    }

    List<String> mistakes() {
        return mistakes;
    }

    private void twice(Set<String> ids, String id) {
        if (!ids.add(id)) {
            mistakes.add(id + ": defined twice");
        }
    }

    private void check(AdvicePage page, AdviceItem item) {
        item.when().forEach(condition -> condition.check(item.id(), catalogue, mistakes));
        List<String> pairs = new ArrayList<>(item.unless());
        pairs.addAll(item.only());
        for (String pair : pairs) {
            if (pair.indexOf('=') < 1) {
                mistakes.add(item.id() + ": " + pair + " (expected: NAME=VALUE)");
            }
        }
        for (String companion : item.companions()) {
            if (page.items().stream().noneMatch(other -> other.id().equals(companion))) {
                mistakes.add(item.id() + ": companions: " + companion
                        + " (expected: an item of the same page)");
            }
        }
        if (!page.syntaxes().containsKey(item.place())) {
            mistakes.add(item.id() + ": place: " + item.place() + " (expected: one of "
                    + page.syntaxes().keySet() + ")");
        }
        if (!page.effects().containsKey(item.effect())) {
            mistakes.add(item.id() + ": effect: " + item.effect() + " (expected: one of "
                    + page.effects().keySet() + ")");
        }
        if ((item.value() == null) == (item.proposed() == null)) {
            mistakes.add(item.id() + ": expected: either proposed or value");
        }
        for (LocalizedText text : List.of(item.title(), item.derivation(), item.willNotFix())) {
            places(page, item.id(), text.en());
            places(page, item.id(), text.ja());
        }
        if (item.proposed() != null) {
            formula(item.id(), item.proposed(), page.let().keySet());
            if (item.toward() == null) {
                mistakes.add(item.id() + ": toward (expected: more or less)");
            }
        }
    }

    /** Reports a placeholder of a text that is never filled: it would be shown as written. */
    private void places(AdvicePage page, String where, String text) {
        Matcher matcher = TextTemplate.PLACE.matcher(text);
        while (matcher.find()) {
            String name = matcher.group(1);
            if (!name.startsWith("$")
                    && !PLACES.contains(name)
                    && !page.let().containsKey(name)
                    && !catalogue.contains(name)) {
                mistakes.add(where + ": {" + name
                        + "} (expected: an index, $SETTING, a name of let or one of " + PLACES
                        + ")");
            }
        }
    }

    /** Reports the name of an index where its title is meant: readers do not know it. */
    private void symbols(String where, String text) {
        Matcher matcher = WORD.matcher(text);
        while (matcher.find()) {
            if (catalogue.contains(matcher.group())) {
                mistakes.add(where + ": " + matcher.group() + " (expected: words for readers)");
            }
        }
    }

    private void formula(String where, String formula, Set<String> named) {
        try {
            for (String name : Arithmetic.namesIn(formula)) {
                boolean known = name.startsWith("$")
                        || name.equals("current")
                        || named.contains(name)
                        || catalogue.contains(name);
                if (!known) {
                    mistakes.add(where + ": " + name
                            + " (expected: an index, $SETTING, current or a name of let)");
                }
            }
        } catch (IllegalArgumentException e) {
            mistakes.add(where + ": " + e.getMessage());
        }
    }
}
