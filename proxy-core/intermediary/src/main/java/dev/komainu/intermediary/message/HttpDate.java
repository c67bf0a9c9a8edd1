package dev.komainu.intermediary.message;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser of the three date formats of RFC 9110 section 5.6.7. Dates are written as IMF-fixdate
 * only.
 */
public final class HttpDate {

    /** The result for a text that is not a date. */
    public static final long NONE = Long.MIN_VALUE;

    private static final DateTimeFormatter FIXDATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);
    private static final Pattern IMF = Pattern.compile(
            "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\\d{2}) ([A-Za-z]{3}) (\\d{4}) (\\d{2}):(\\d{2}):(\\d{2}) GMT",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern RFC850 = Pattern.compile(
            "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d{2})-([A-Za-z]{3})-(\\d{2}) (\\d{2}):(\\d{2}):(\\d{2}) GMT",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern ASCTIME = Pattern.compile(
            "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Za-z]{3}) ([ \\d]\\d) (\\d{2}):(\\d{2}):(\\d{2}) (\\d{4})",
            Pattern.CASE_INSENSITIVE);
    private static final String WEEKDAYS = "MonTueWedThuFriSatSun";
    private static final String MONTH_NAMES = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

    private HttpDate() {}

    /**
     * Parses a date.
     *
     * @return milliseconds since the epoch, or {@link #NONE}
     */
    public static long parse(String text) {
        long fixdate = fixdate(text);
        return fixdate == NONE
                ? parse(text, Instant.now().atOffset(ZoneOffset.UTC).getYear())
                : fixdate;
    }

    /**
     * Parses the usual format without the cost of a pattern: {@code Sun, 06 Nov 1994 08:49:37 GMT}.
     *
     * @return {@link #NONE} for any other format, and for an invalid date
     */
    private static long fixdate(String text) {
        if (text.length() != 29 || !text.regionMatches(3, ", ", 0, 2) || !text.endsWith(" GMT")) {
            return NONE;
        }
        int weekday = WEEKDAYS.indexOf(text.substring(0, 3));
        int month = MONTH_NAMES.indexOf(text.substring(8, 11));
        boolean divided = text.charAt(7) == ' '
                && text.charAt(11) == ' '
                && text.charAt(16) == ' '
                && text.charAt(19) == ':'
                && text.charAt(22) == ':';
        int year = twoDigits(text, 12) * 100 + twoDigits(text, 14);
        int day = twoDigits(text, 5);
        int hour = twoDigits(text, 17);
        int minute = twoDigits(text, 20);
        int second = twoDigits(text, 23);
        boolean read = weekday >= 0
                && weekday % 3 == 0
                && month >= 0
                && month % 3 == 0
                && divided
                && year >= 0;
        if (!read || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0) {
            return NONE;
        }
        if (day > 28 && day > YearMonth.of(year, month / 3 + 1).lengthOfMonth()) {
            return NONE;
        }
        long days = LocalDate.of(year, month / 3 + 1, day).toEpochDay();
        return (((days * 24 + hour) * 60 + minute) * 60 + Math.min(59, second)) * 1000;
    }

    /** Parses two digits; far below zero when they are not digits. */
    private static int twoDigits(String text, int index) {
        int tens = text.charAt(index) - '0';
        int ones = text.charAt(index + 1) - '0';
        return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1_000_000;
    }

    /**
     * Parses a date.
     *
     * @param thisYear two-digit years more than 50 years ahead of it are in the past (RFC 9110
     *     section 5.6.7)
     */
    static long parse(String text, int thisYear) {
        Matcher m = IMF.matcher(text);
        if (m.matches()) {
            return millis(m.group(3), m.group(2), m.group(1), m.group(4), m.group(5), m.group(6));
        }
        m = RFC850.matcher(text);
        if (m.matches()) {
            int year = thisYear / 100 * 100 + Integer.parseInt(m.group(3));
            year = year > thisYear + 50 ? year - 100 : year;
            return millis(
                    Integer.toString(year),
                    m.group(2),
                    m.group(1),
                    m.group(4),
                    m.group(5),
                    m.group(6));
        }
        m = ASCTIME.matcher(text);
        return m.matches()
                ? millis(
                        m.group(6),
                        m.group(1),
                        m.group(2).strip(),
                        m.group(3),
                        m.group(4),
                        m.group(5))
                : NONE;
    }

    private static long millis(
            String year, String month, String day, String hour, String minute, String second) {
        int index = MONTHS.indexOf(month.toLowerCase(Locale.ROOT));
        if (index < 0 || index % 3 != 0) {
            return NONE;
        }
        try {
            LocalDateTime time = LocalDate.of(
                            Integer.parseInt(year), index / 3 + 1, Integer.parseInt(day))
                    .atTime(
                            Integer.parseInt(hour),
                            Integer.parseInt(minute),
                            Math.min(59, Integer.parseInt(second)));
            return time.toInstant(ZoneOffset.UTC).toEpochMilli();
        } catch (DateTimeException e) {
            return NONE;
        }
    }

    /** Formats milliseconds since the epoch. */
    public static String format(long millis) {
        return FIXDATE.format(Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC));
    }
}
