package dev.komainu.central.advice;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.indices.YamlResource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All advice: a page for each kind of server, and one for each operating system. The agent runs on
 * Linux, so {@code linux} goes for every server whose host is known; the other systems' pages are
 * told beside it. Immutable.
 */
public final class AdviceCatalogue {

    /** Kinds of servers with a page of their own in {@code advice/}. */
    static final List<String> SERVERS =
            List.of("apache", "nginx", "tomcat", "squid", "haproxy", "varnish", "komainu");

    /** Operating systems; the first is the one agents run on. */
    static final List<String> SYSTEMS = List.of("linux", "freebsd", "solaris");

    private final Map<String, AdvicePage> pages = new LinkedHashMap<>();

    /** @throws IllegalStateException naming every mistake of every page at once */
    public AdviceCatalogue(IndexCatalogue catalogue) {
        SERVERS.forEach(this::read);
        SYSTEMS.forEach(this::read);
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

    /** Every leaf that something in the book hangs on. */
    public Set<String> leaves() {
        Set<String> leaves = new HashSet<>();
        for (AdvicePage page : pages.values()) {
            page.items().forEach(item -> leaves.addAll(item.leaves()));
            page.obsolete().forEach(item -> leaves.addAll(item.leaves()));
        }
        return leaves;
    }

    /**
     * Advice for the leaves reached, in the order of the leaves and then of the book; what is
     * satisfied is left out.
     */
    public List<Advice> advise(ServiceProfile service, List<String> leaves, MeasurementView view) {
        List<AdvicePage> own = new ArrayList<>();
        AdvicePage server = pages.get(service.kind());
        if (server != null && SERVERS.contains(service.kind())) {
            own.add(server);
        }
        if (service.node() != null) {
            own.add(page(SYSTEMS.getFirst()));
        }
        return derive(own, service, leaves, view, false);
    }

    /**
     * Returns the advice for the systems on which the server was not found, where the settings in
     * force are unknown.
     */
    public List<Advice> adviseElsewhere(
            ServiceProfile service, List<String> leaves, MeasurementView view) {
        List<AdvicePage> others = SYSTEMS.stream()
                .skip(service.node() == null ? 0 : 1)
                .map(this::page)
                .toList();
        return derive(others, unset(service), leaves, view, true);
    }

    /**
     * What is told at these leaves as advised no longer: the server's own page, and every system's.
     */
    public List<WithdrawnAdvice> obsolete(ServiceProfile service, List<String> leaves) {
        List<WithdrawnAdvice> told = new ArrayList<>();
        Set<String> given = new HashSet<>();
        for (String leaf : leaves) {
            pages.forEach((name, page) -> {
                if (name.equals(service.kind()) || SYSTEMS.contains(name)) {
                    page.obsolete().stream()
                            .filter(item -> item.leaves().contains(leaf) && given.add(item.id()))
                            .forEach(item -> told.add(new WithdrawnAdvice(
                                    item.id(), leaf, item.title(), item.why(), item.reference())));
                }
            });
        }
        return told;
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
        Set<String> given = new HashSet<>();
        String unit = unit(service);
        for (String leaf : leaves) {
            for (AdvicePage page : read) {
                for (AdviceItem item : page.items()) {
                    if (item.leaves().contains(leaf) && !given.contains(item.id())) {
                        Advice derived = new DerivedAdvice(service, view, page, unit, item, leaf)
                                .advice(elsewhere ? page.name() : null);
                        if (derived != null) {
                            given.add(item.id());
                            advice.add(derived);
                        }
                    }
                }
            }
        }
        return advice;
    }

    /** As discovery told it ({@code nginx.service}), else as the server's packages name it. */
    private String unit(ServiceProfile service) {
        FoundSetting told = FoundSetting.of(service, "systemd:unit", null);
        if (told.value() != null) {
            return told.value().replaceFirst("\\.service$", "");
        }
        AdvicePage page = pages.get(service.kind());
        return page == null || page.unit() == null ? "UNIT" : page.unit();
    }

    /** The same server with no word about how it is set. */
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
