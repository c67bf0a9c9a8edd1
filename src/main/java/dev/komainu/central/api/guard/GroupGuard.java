package dev.komainu.central.api.guard;

import dev.komainu.central.access.Caller;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import java.util.Collection;
import org.springframework.stereotype.Component;

/**
 * The check that a caller who is bound to a group of services changes only these. Reading is not
 * bound: incidents, dependencies and comparisons cross groups. Any thread.
 *
 * <p>Routes with the service in their path are checked before the controller, see
 * {@link GroupInterceptor}; a controller that takes the service from a body or a stored item calls
 * {@link #require}.
 */
@Component
public class GroupGuard {

    /** The beginning of names of settings that belong to the host. */
    private static final String OF_HOST = "sysctl:";

    private final ServiceGroups groups;

    public GroupGuard(ServiceGroups groups) {
        this.groups = groups;
    }

    /**
     * Refuses a bound caller unless the service belongs to the caller's group.
     *
     * @throws ProblemException 403 naming the service and the group
     */
    public void require(Caller caller, String service) {
        String group = caller.group();
        if (group != null && !groups.contains(group, service)) {
            throw new ProblemException(refusal(service, group));
        }
    }

    /**
     * Refuses a bound caller unless each service that a change of these settings reaches belongs to
     * the caller's group: the services of one process share its settings, and those of one host
     * share its kernel.
     *
     * @throws ProblemException 403 naming the service and the group
     */
    public void requireChange(Caller caller, String service, Collection<String> settings) {
        require(caller, service);
        if (caller.group() != null) {
            boolean host = settings.stream().anyMatch(setting -> setting.startsWith(OF_HOST));
            groups.reached(service, host).forEach(other -> require(caller, other));
        }
    }

    static Problem refusal(String subject, String group) {
        return Problem.of(
                403,
                "outside-group",
                "Not allowed outside the caller's group",
                subject + " (expected: a service of " + group + ")");
    }
}
