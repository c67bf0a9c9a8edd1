package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;

/**
 * One cause of trouble, and what it fills.
 *
 * @param id stable name, such as {@code disk}
 * @param title noun phrase for people
 * @param fills causes that this cause makes appear: its symptoms
 * @param rules ids of the rules that indicate it
 * @param suspected groups of conditions; one group that holds is enough to suspect it
 * @param ruledOut groups of conditions; one group that holds is enough to rule it out
 * @param unseen one sentence for a cause whose measurements no collector reports
 * @param command command that starts the collector
 */
public record Cause(
        String id,
        LocalizedText title,
        List<String> fills,
        List<String> rules,
        List<List<Condition>> suspected,
        List<List<Condition>> ruledOut,
        LocalizedText unseen,
        String command) {

    public Cause {
        fills = List.copyOf(fills);
        rules = List.copyOf(rules);
        suspected = List.copyOf(suspected);
        ruledOut = List.copyOf(ruledOut);
    }
}
