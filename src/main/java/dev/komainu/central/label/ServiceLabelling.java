package dev.komainu.central.label;

import dev.komainu.central.fleet.ServiceProfile;

/** The source of the labels of services. */
@FunctionalInterface
public interface ServiceLabelling {

    /** The labelling that knows only what sources report: no rules, nothing set by hand. */
    ServiceLabelling REPORTED = profile -> ServiceLabels.of(LabelBook.reported(profile));

    /** Returns the labels of a service that count. */
    ServiceLabels of(ServiceProfile profile);
}
