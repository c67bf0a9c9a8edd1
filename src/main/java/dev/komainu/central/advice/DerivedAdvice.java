package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One item derived for one server: current value, proposed value, texts and commands with both
 * filled in.
 */
final class DerivedAdvice {

    /**
     * Directories whose files belong to the distribution: such files are overridden, not edited.
     */
    private static final List<String> VENDOR =
            List.of("/usr/lib/", "/lib/", "/run/", "/usr/share/");

    private final ServiceProfile service;
    private final AdvicePage page;
    private final AdviceItem item;
    private final String leaf;
    private final CommandSyntax syntax;
    private final FoundSetting found;
    private final FormulaValues figures;
    private final List<Condition> conditions;
    private final MeasurementView view;
    private final String settingPrefix;

    /**
     * Creates the derivation.
     *
     * @param settingPrefix beginning of the setting's name in the profile of the server that is
     *     watched; empty for its own settings
     */
    DerivedAdvice(
            ServiceProfile service,
            MeasurementView view,
            AdvicePage page,
            String unit,
            AdviceItem item,
            String leaf,
            String settingPrefix) {
        this.settingPrefix = settingPrefix;
        this.service = service;
        this.page = page;
        this.item = item;
        this.leaf = leaf;
        this.view = view;
        this.syntax = Objects.requireNonNull(page.syntaxes().get(item.place()));
        this.found = FoundSetting.of(service, item.setting(), item.otherwise());
        this.figures = new FormulaValues(service, view, page, unit, item, found);
        // The busy workers that are measured are those of the server in front of a pool.
        this.conditions = settingPrefix.isEmpty()
                ? item.when()
                : item.when().stream()
                        .filter(condition -> !condition.measure().equals("workersBusyShare"))
                        .toList();
    }

    AdviceItem item() {
        return item;
    }

    ServiceProfile service() {
        return service;
    }

    String leaf() {
        return leaf;
    }

    /**
     * Returns the advice; null when it does not apply, is already followed, or cannot be derived.
     *
     * @param system shown with advice for another system than the server's own
     * @param companions values that change together with it
     */
    @Nullable
    Advice advice(@Nullable String system, List<DerivedAdvice> companions) {
        String proposed = applicable(system);
        if (proposed == null) {
            return null;
        }
        boolean inFile = isInFile();
        String file = file(inFile);
        CommandSyntax.Carry carry = carry(companions);
        TextTemplate phrases = new TextTemplate(figures, service, found.value(), proposed, file);
        String directive = item.directive();
        String change = ": " + directive + " " + (found.value() == null ? "" : found.value() + " ")
                + "→ " + proposed;
        List<Commands> withThem = new ArrayList<>();
        List<Advice.Companion> values = new ArrayList<>();
        for (DerivedAdvice companion : companions) {
            String value = Objects.requireNonNull(companion.proposed());
            withThem.add(companion.commands(carry, value));
            values.add(new Advice.Companion(
                    companion.item.id(),
                    settingPrefix + companion.item.setting(),
                    String.valueOf(companion.found.value()),
                    value));
        }
        return new Advice(
                item.id(),
                leaf,
                LocalizedText.of(
                        phrases.fill(item.title().en()) + change,
                        phrases.fill(item.title().ja()) + change),
                settingPrefix + item.setting(),
                found.value(),
                found.source(),
                proposed,
                phrases.fill(item.derivation()),
                item.place(),
                file,
                inFile ? found.line() : null,
                inFile ? found.written() : null,
                syntax.written(proposed),
                effect(companions),
                carry.drops(),
                conflicts(proposed, inFile, file, companions),
                phrases.fill(item.cost() == null ? carry.cost() : item.cost()),
                phrases.fill(item.willNotFix()),
                item.reference(),
                !Boolean.FALSE.equals(item.tried()),
                system,
                values,
                commands(carry, proposed).steps(withThem));
    }

    /**
     * Reports whether this value can change together with another one, by one order: each is in the
     * same file, or in none while its default is in force.
     */
    boolean joins(DerivedAdvice main) {
        return applicable(null) != null
                && isWritable()
                && main.isWritable()
                && (!isInFile()
                        || !main.isInFile()
                        || Objects.equals(found.file(), main.found.file()));
    }

    private boolean isWritable() {
        String source = found.source();
        return service.setting(item.setting()) != null
                && found.value() != null
                && (isInFile() || (source != null && source.startsWith("default")));
    }

    private Advice.Effect effect(List<DerivedAdvice> companions) {
        return companions.stream()
                .map(companion -> companion.item.effect())
                .reduce(item.effect(), (one, other) -> one.compareTo(other) >= 0 ? one : other);
    }

    private CommandSyntax.Carry carry(List<DerivedAdvice> companions) {
        return Objects.requireNonNull(page.effects().get(effect(companions)));
    }

    private Commands commands(CommandSyntax.Carry carry, String proposed) {
        boolean inFile = isInFile();
        return new Commands(item, syntax, carry, figures, found, inFile, file(inFile), proposed);
    }

    /** Returns the value to write; null when the item does not apply or is already followed. */
    private @Nullable String applicable(@Nullable String system) {
        // A kernel limit that was not read is probably higher already: the proposal could lower it.
        if (system == null && found.value() == null && item.setting().startsWith("sysctl:")) {
            return null;
        }
        if (!item.suits(service)
                || !conditions.stream()
                        .allMatch(condition -> condition.holds(view, view.second()))) {
            return null;
        }
        return proposed();
    }

    /** Returns the value to write; null when no change is needed. */
    private @Nullable String proposed() {
        String fixedValue = item.value();
        if (fixedValue != null) {
            return fixedValue.equalsIgnoreCase(found.value()) ? null : fixedValue;
        }
        double proposedNumber = Math.ceil(figures.compute(Objects.requireNonNull(item.proposed())));
        if (!Double.isFinite(proposedNumber)
                || proposedNumber <= 0
                || item.isSatisfied(figures.current(), proposedNumber)) {
            return null;
        }
        String number = String.format(Locale.ROOT, "%.0f", proposedNumber)
                + (item.unit() == null ? "" : item.unit());
        Integer part = item.part();
        String present = found.value();
        if (part == null) {
            return number;
        }
        if (present == null) {
            return null;
        }
        String[] words = present.strip().split("\\s+");
        if (words.length < part) {
            return null;
        }
        words[part - 1] = number;
        return String.join(" ", words);
    }

    /**
     * Reports whether one of the operator's files contains the setting, so that it is changed
     * there; else it is added.
     */
    private boolean isInFile() {
        if (syntax.isCommandLine()) {
            return found.onCommandLine();
        }
        String file = found.file();
        return file != null && VENDOR.stream().noneMatch(file::startsWith);
    }

    private @Nullable String file(boolean inFile) {
        if (inFile && !syntax.isCommandLine()) {
            return found.file();
        }
        FoundSetting main = FoundSetting.of(service, "file:config", null);
        if (page.main() != null
                && main.source() != null
                && !syntax.isOwnFile()
                && !page.main().equals(main.source())) {
            return main.source();
        }
        String usual = item.file();
        return usual == null
                ? null
                : new TextTemplate(figures, service, found.value(), "", null).fill(usual);
    }

    private List<LocalizedText> conflicts(
            String proposed,
            boolean inFile,
            @Nullable String file,
            List<DerivedAdvice> companions) {
        List<LocalizedText> conflicts = new ArrayList<>();
        if ((found.onCommandLine() && !syntax.isCommandLine()) || found.inEnvironment()) {
            conflicts.add(LocalizedText.of(
                    "The setting was given at the start (" + found.source()
                            + "). It overrides the file: change it there.",
                    "起動時に指定されており(" + found.source() + ")、ファイルより優先されます。そちらを変更してください。"));
        }
        String changedBy = found.changedBy();
        if (changedBy != null
                && companions.stream()
                        .noneMatch(companion ->
                                changedBy.startsWith(companion.item.setting() + " "))) {
            String place = found.file() + ":" + found.line() + ": " + found.written();
            conflicts.add(LocalizedText.of(
                    place + "; the value in effect is " + found.value() + ", because of "
                            + changedBy + ". Raise both.",
                    place + " ですが、実際の値は " + found.value() + " です(" + changedBy
                            + " による)。両方の変更が必要です。"));
        }
        String elsewhere = found.file();
        if (!inFile
                && elsewhere != null
                && file != null
                && name(elsewhere).compareTo(name(file)) > 0) {
            conflicts.add(LocalizedText.of(
                    elsewhere + ":" + found.line()
                            + " also sets it and is read later: that value applies at the next start.",
                    elsewhere + ":" + found.line() + " にも設定があります。後から読まれるため、次回起動時にはその値が適用されます。"));
        }
        double proposedNumber = Quantity.parse(proposed, figures.unit());
        for (String cap : item.cappedBy()) {
            if (companions.stream()
                    .anyMatch(companion -> companion.item.setting().equals(cap))) {
                continue;
            }
            FoundSetting limiting = FoundSetting.of(service, cap, null);
            double limit = Quantity.parse(limiting.value(), figures.unit());
            // Servers write 0 for no limit.
            if (item.toward() == AdviceItem.Toward.MORE && limit > 0 && limit < proposedNumber) {
                conflicts.add(LocalizedText.of(
                        cap + " is " + limiting.value() + " (" + limiting.source()
                                + ") and limits the value: raise it, too.",
                        cap + " が " + limiting.value() + "(" + limiting.source()
                                + ")のため、値が制限されます。そちらも上げてください。"));
            }
        }
        FoundSetting pending = FoundSetting.of(service, "file:config-pending", null);
        if (pending.value() != null && item.effect() != Advice.Effect.LIVE) {
            conflicts.add(LocalizedText.of(
                    pending.value()
                            + " was changed after the server read it. Its other changes take effect together"
                            + " with this change.",
                    pending.value() + " は、サーバが読み込んだ後に変更されています。ファイルの他の変更も同時に反映されます。"));
        }
        return conflicts;
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
