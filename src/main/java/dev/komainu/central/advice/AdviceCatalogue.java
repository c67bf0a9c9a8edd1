package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.YamlResource;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All advice: a page for each kind of server, one for each operating system, and one for any
 * server. The page of the system that the host's agent reports applies to the server; an agent that
 * reports none runs on Linux. The other systems' advice is listed separately. Immutable.
 */
public final class AdviceCatalogue {

    /** Kinds of servers with a page of their own in {@code advice/}. */
    static final List<String> SERVERS = List.of(
            "apache",
            "nginx",
            "tomcat",
            "squid",
            "haproxy",
            "varnish",
            "gunicorn",
            "uwsgi",
            "php-fpm",
            "komainu");

    /** Operating systems with a page of their own. */
    static final List<String> SYSTEMS = List.of("linux", "freebsd", "solaris");

    /** The page of actions that no setting carries out. */
    static final String ANY = "any";

    /** The host's operating system as a sighting reports it; absent: Linux. */
    private static final String SYSTEM_SETTING = "host:system";

    /** The leaf of the flowchart where workers are added. */
    private static final String ADD_WORKERS = "set-processes";

    /** The leaf where the server behind this one is mended; an application pool is one. */
    private static final String MEND_UPSTREAM = "mend-upstream";

    private static final int WAIT_SECONDS = 30;

    /** Response time, divided by its usual value, from which visitors wait for a pool. */
    private static final double LONG_WAIT = 2;

    private final Map<String, AdvicePage> pages = new LinkedHashMap<>();

    /**
     * Loads all pages.
     *
     * @throws IllegalStateException with all mistakes of every page
     */
    public AdviceCatalogue(IndexCatalogue catalogue) {
        SERVERS.forEach(this::read);
        SYSTEMS.forEach(this::read);
        read(ANY);
        List<String> mistakes = new AdviceCheck(pages.values(), catalogue).mistakes();
        if (!mistakes.isEmpty()) {
            throw new IllegalStateException("advice: " + String.join("; ", mistakes));
        }
    }

    private void read(String name) {
        pages.put(name, YamlResource.read("/advice/" + name + ".yaml", AdvicePage.class));
    }

    Map<String, AdvicePage> pages() {
        return pages;
    }

    /** Returns every leaf that has advice. */
    public Set<String> leaves() {
        Set<String> leaves = new HashSet<>();
        for (AdvicePage page : pages.values()) {
            page.items().forEach(item -> leaves.addAll(item.leaves()));
            page.obsolete().forEach(item -> leaves.addAll(item.leaves()));
            page.instructions().forEach(item -> leaves.addAll(item.leaves()));
        }
        return leaves;
    }

    /**
     * Returns the advice for the leaves reached, in the order of the leaves and then of the
     * catalogue; advice that is already followed is left out.
     */
    public List<Advice> advise(ServiceProfile service, List<String> leaves, MeasurementView view) {
        List<Advice> advice = ofPool(service, leaves, view);
        advice.addAll(derive(own(service), service, leaves, view, false));
        return advice;
    }

    /**
     * Returns the advice to add workers to the application pool behind a web server: where workers
     * are short, or where visitors wait for the server behind it.
     */
    private List<Advice> ofPool(ServiceProfile service, List<String> leaves, MeasurementView view) {
        List<Advice> advice = new ArrayList<>();
        ServiceProfile pool = service.pool();
        if (pool == null || !SERVERS.contains(pool.kind())) {
            return advice;
        }
        AdvicePage page = page(pool.kind());
        boolean waits = view.now("responseRatio", WAIT_SECONDS) >= LONG_WAIT;
        String leaf = leaves.contains(ADD_WORKERS)
                ? ADD_WORKERS
                : waits && leaves.contains(MEND_UPSTREAM) ? MEND_UPSTREAM : null;
        if (leaf != null) {
            for (AdviceItem item : page.items()) {
                if (item.leaves().contains(ADD_WORKERS)) {
                    Advice derived = new DerivedAdvice(
                                    pool,
                                    view,
                                    page,
                                    unit(pool),
                                    item,
                                    leaf,
                                    ServiceSighting.OF_POOL)
                            .advice(null, List.of());
                    if (derived != null) {
                        advice.add(derived);
                    }
                }
            }
        }
        return advice;
    }

    /**
     * Returns the actions without a setting for the leaves reached: of the server's kind, of its
     * host's system, of any server.
     *
     * @param capacity figures of the capacity model
     */
    public List<Instruction> instructions(
            ServiceProfile service,
            List<String> leaves,
            MeasurementView view,
            LocalizedText capacity) {
        List<AdvicePage> selected = new ArrayList<>(own(service));
        selected.add(page(ANY));
        List<Instruction> instructions = new ArrayList<>();
        String unit = unit(service);
        for (String leaf : leaves) {
            for (AdvicePage page : selected) {
                TextTemplate texts = new TextTemplate(
                        FormulaValues.ofPage(service, view, page, unit), service, null, "", null);
                for (AdvicePage.InstructionItem item : page.instructions()) {
                    if (item.leaves().contains(leaf) && item.fits(view)) {
                        instructions.add(new Instruction(
                                item.id(),
                                leaf,
                                item.title(),
                                LocalizedText.of(
                                        texts.fill(item.text()
                                                .en()
                                                .replace("{capacity}", capacity.en())),
                                        texts.fill(item.text()
                                                .ja()
                                                .replace("{capacity}", capacity.ja()))),
                                item.measured(),
                                item.command() == null ? null : texts.fill(item.command()),
                                item.reference()));
                    }
                }
            }
        }
        return instructions;
    }

    /** Returns the pages of the server's kind and of its host's system, where they are known. */
    private List<AdvicePage> own(ServiceProfile service) {
        List<AdvicePage> selected = new ArrayList<>();
        AdvicePage server = pages.get(service.kind());
        if (server != null && SERVERS.contains(service.kind())) {
            selected.add(server);
        }
        String system = system(service);
        if (system != null) {
            selected.add(page(system));
        }
        return selected;
    }

    /** Returns the page of the host's system; null when the host or a page for it is not known. */
    private static @Nullable String system(ServiceProfile service) {
        String reported = systemName(service);
        if (reported == null) {
            return null;
        }
        String name = reported.toLowerCase(Locale.ROOT);
        if (name.equals("sunos")) {
            return "solaris";
        }
        return SYSTEMS.contains(name) ? name : null;
    }

    /**
     * Returns the host's operating system, as its agent reports it; null without an agent there.
     */
    public static @Nullable String systemName(ServiceProfile service) {
        if (service.node() == null) {
            return null;
        }
        Setting reported = service.setting(SYSTEM_SETTING);
        return reported == null ? "Linux" : reported.value();
    }

    /**
     * Returns the advice for the systems on which the server was not found, where the settings in
     * force are unknown.
     */
    public List<Advice> adviseElsewhere(
            ServiceProfile service, List<String> leaves, MeasurementView view) {
        String own = system(service);
        List<AdvicePage> otherPages = SYSTEMS.stream()
                .filter(name -> !name.equals(own))
                .map(this::page)
                .toList();
        return derive(otherPages, unset(service), leaves, view, true);
    }

    /**
     * Returns the advice that was withdrawn at these leaves: from the server's own page, and from
     * every system's.
     */
    public List<WithdrawnAdvice> obsolete(ServiceProfile service, List<String> leaves) {
        List<WithdrawnAdvice> withdrawn = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (String leaf : leaves) {
            pages.forEach((name, page) -> {
                if (name.equals(service.kind()) || SYSTEMS.contains(name)) {
                    page.obsolete().stream()
                            .filter(item -> item.leaves().contains(leaf) && ids.add(item.id()))
                            .forEach(item -> withdrawn.add(new WithdrawnAdvice(
                                    item.id(), leaf, item.title(), item.why(), item.reference())));
                }
            });
        }
        return withdrawn;
    }

    private AdvicePage page(String name) {
        AdvicePage page = pages.get(name);
        if (page == null) {
            throw new IllegalStateException("advice: no page " + name);
        }
        return page;
    }

    private List<Advice> derive(
            List<AdvicePage> read,
            ServiceProfile service,
            List<String> leaves,
            MeasurementView view,
            boolean elsewhere) {
        List<Advice> advice = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        String unit = unit(service);
        for (String leaf : leaves) {
            for (AdvicePage page : read) {
                for (AdviceItem item : page.items()) {
                    if (item.leaves().contains(leaf) && !ids.contains(item.id())) {
                        DerivedAdvice own =
                                new DerivedAdvice(service, view, page, unit, item, leaf, "");
                        Advice derived = own.advice(
                                elsewhere ? page.name() : null, companions(own, page, view, unit));
                        if (derived != null) {
                            ids.add(item.id());
                            advice.add(derived);
                        }
                    }
                }
            }
        }
        return withoutCompanions(advice);
    }

    /** Returns the values that change together with an item, as far as one order can do it. */
    private static List<DerivedAdvice> companions(
            DerivedAdvice main, AdvicePage page, MeasurementView view, String unit) {
        return main.item().companions().stream()
                .map(page::item)
                .map(item ->
                        new DerivedAdvice(main.service(), view, page, unit, item, main.leaf(), ""))
                .filter(companion -> companion.joins(main))
                .toList();
    }

    /** Returns the advice without items that change together with another one. */
    private static List<Advice> withoutCompanions(List<Advice> advice) {
        Set<String> joined = new HashSet<>();
        advice.forEach(each -> each.companions().forEach(companion -> joined.add(companion.id())));
        return advice.stream().filter(each -> !joined.contains(each.id())).toList();
    }

    /**
     * Returns the service unit as discovery reported it ({@code nginx.service}), else by the
     * server's packages.
     */
    private String unit(ServiceProfile service) {
        FoundSetting unit = FoundSetting.of(service, "systemd:unit", null);
        if (unit.value() != null) {
            return unit.value().replaceFirst("\\.service$", "");
        }
        AdvicePage page = pages.get(service.kind());
        return page == null || page.unit() == null ? "UNIT" : page.unit();
    }

    /** Returns the same server without its settings. */
    private static ServiceProfile unset(ServiceProfile service) {
        return new ServiceProfile(
                service.id(),
                null,
                service.name(),
                service.kind(),
                service.version(),
                service.addresses(),
                null,
                null,
                List.of(),
                service.reportedBy(),
                service.firstSeenMicros(),
                service.lastSeenMicros());
    }
}
