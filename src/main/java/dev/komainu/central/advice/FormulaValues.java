package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The values that a formula of the catalogue may name: the current value, settings, measurements of
 * the last minute, named formulas.
 */
final class FormulaValues {

    /**
     * Proposals are derived from the last minute: long enough to contain a peak, short enough to
     * describe the present.
     */
    static final int WINDOW_SECONDS = 60;

    private final ServiceProfile service;
    private final MeasurementView view;
    private final AdvicePage page;
    private final String unit;
    private final Quantity.Unit measure;
    private final @Nullable Integer part;
    private final FoundSetting found;

    FormulaValues(
            ServiceProfile service,
            MeasurementView view,
            AdvicePage page,
            String unit,
            AdviceItem item,
            FoundSetting found) {
        this(service, view, page, unit, item.measure(), item.part(), found);
    }

    private FormulaValues(
            ServiceProfile service,
            MeasurementView view,
            AdvicePage page,
            String unit,
            Quantity.Unit measure,
            @Nullable Integer part,
            FoundSetting found) {
        this.service = service;
        this.view = view;
        this.page = page;
        this.unit = unit;
        this.measure = measure;
        this.part = part;
        this.found = found;
    }

    /** Returns the values of a text that belongs to no setting. */
    static FormulaValues ofPage(
            ServiceProfile service, MeasurementView view, AdvicePage page, String unit) {
        FoundSetting nothing = new FoundSetting(null, null, null, null, null, null);
        return new FormulaValues(service, view, page, unit, Quantity.Unit.COUNT, null, nothing);
    }

    ServiceProfile service() {
        return service;
    }

    /** Returns systemd's name for the service, without {@code .service}. */
    String serviceUnit() {
        return unit;
    }

    Quantity.Unit unit() {
        return measure;
    }

    /** Returns the current value in the item's unit; {@code NaN} when unknown. */
    double current() {
        String present = found.value();
        if (part == null || present == null) {
            return Quantity.parse(present, unit());
        }
        String[] words = present.strip().split("\\s+");
        return words.length < part ? Double.NaN : Quantity.parse(words[part - 1], unit());
    }

    double compute(String formula) {
        return Arithmetic.compute(formula, this::value);
    }

    private double value(String name) {
        if (name.equals("current")) {
            return current();
        }
        if (name.startsWith("$")) {
            Setting setting = service.setting(name.substring(1));
            return setting == null ? Double.NaN : Quantity.parse(setting.value(), unit());
        }
        String named = page.let().get(name);
        return named == null ? view.now(name, WINDOW_SECONDS) : compute(named);
    }

    /** Returns a setting as written; null when unknown. */
    @Nullable
    String setting(String name) {
        Setting setting = service.setting(name);
        return setting == null ? null : setting.value();
    }

    /** Returns a named formula's value as a whole number; null when there is no such formula. */
    @Nullable
    Double named(String name) {
        String formula = page.let().get(name);
        return formula == null ? null : compute(formula);
    }

    /** Returns a measurement as people read it; null when there is no index of this name. */
    @Nullable
    String measured(String name) {
        return view.hasIndex(name)
                ? Evidence.figure(view.now(name, WINDOW_SECONDS), view.unit(name))
                : null;
    }
}
