package dev.komainu.central.api.guard;

import java.util.List;

/** The groups of services, as the guard needs them. Any thread. */
public interface ServiceGroups {

    /**
     * Reports whether a service belongs to a group now.
     *
     * @param selector text of a label selector
     * @param service an id of the service; an unknown service belongs to no group
     */
    boolean contains(String selector, String service);

    /**
     * Returns the services that a change of this service's settings may reach: those of the same
     * process, and with {@code host} all services of its host.
     */
    List<String> reached(String service, boolean host);
}
