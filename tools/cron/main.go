// Writes the next times of random schedules, time zones and instants, as the Go library of upstream computes them:
//
//	go run . >../../src/cron/testdata/times.txt
//
// A line `= ZONE` starts the times of a zone. Each other line is SCHEDULE, a tab, the instant in seconds, a tab, and the
// seconds to each of the next three times, or `-` if there is none. After the line `!`, each line is an invalid
// schedule, a tab, and its error.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Zones of every kind of change: by an hour, by half an hour, by two hours, at midnight, a minute after it, a skipped
// day, around Ramadan, of the standard time, and none at all.
var zones = strings.Fields(`
UTC America/New_York America/Los_Angeles America/Chicago America/Denver America/Phoenix America/Anchorage
America/St_Johns America/Halifax America/Sao_Paulo America/Havana America/Asuncion America/Santiago America/Caracas
America/Mexico_City America/Argentina/San_Luis America/Godthab America/Scoresbysund Europe/London Europe/Dublin
Europe/Lisbon Europe/Berlin Europe/Moscow Europe/Istanbul Europe/Volgograd Atlantic/Azores Africa/Cairo Africa/Casablanca
Africa/Johannesburg Africa/Khartoum Africa/Windhoek Asia/Amman Asia/Beirut Asia/Damascus Asia/Gaza Asia/Jerusalem Asia/Tehran
Asia/Kabul Asia/Karachi Asia/Kolkata Asia/Kathmandu Asia/Shanghai Asia/Tokyo Asia/Pyongyang Asia/Dhaka Asia/Ulaanbaatar
Australia/Lord_Howe Australia/Sydney Australia/Adelaide Australia/Perth Pacific/Auckland Pacific/Chatham Pacific/Apia
Pacific/Tongatapu Pacific/Fiji Pacific/Norfolk Pacific/Kiritimati Antarctica/Troll Antarctica/Casey Etc/GMT+12
`)

const cases, invalidCases = 10000, 300

var random = rand.New(rand.NewSource(17))

func oneOf[T any](values ...T) T { return values[random.Intn(len(values))] }

func between(min, max int) int { return min + random.Intn(max-min+1) }

func field(min, max int, names []string, stars int) string {
	if random.Intn(100) < stars {
		return oneOf("*", "*", "*", "?")
	}
	value := func(n int) string {
		if names != nil && random.Intn(3) == 0 {
			return names[n]
		}
		return fmt.Sprint(n)
	}
	part := func() string {
		from := between(min, max)
		switch random.Intn(6) {
		case 0:
			return fmt.Sprintf("*/%d", between(1, max))
		case 1:
			return value(from) + "-" + value(between(from, max))
		case 2:
			return fmt.Sprintf("%d-%d/%d", from, between(from, max), between(1, max/2+1))
		case 3:
			return fmt.Sprintf("%d/%d", from, between(1, max/2+1))
		default:
			return value(from)
		}
	}
	parts := []string{part()}
	for random.Intn(4) == 0 {
		parts = append(parts, part())
	}
	return strings.Join(parts, ",")
}

var months = strings.Fields("- jan feb MAR Apr may jun jul aug sep oct nov dec")
var weekdays = strings.Fields("sun mon TUE wed thu Fri sat")

func schedule() string {
	switch random.Intn(12) {
	case 0:
		return oneOf("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
	case 1:
		return "@every " + oneOf("90s", "1h30m", "1.5s", "300ms", "24h", "2m3.7s", "-5m", "0", "+45m", ".5h", "1us", "36h1ns")
	case 2, 3:
		// In the night, when offsets change.
		return fmt.Sprintf("%s %s %s %s %s", field(0, 59, nil, 20), oneOf("0", "1", "2", "3", "0-3", "23", "*/2", "1-3/2"),
			oneOf("*", "*", field(1, 31, nil, 30)), "*", oneOf("*", "*", field(0, 6, weekdays, 30)))
	}
	return fmt.Sprintf("%s %s %s %s %s", field(0, 59, nil, 25), field(0, 23, nil, 40), field(1, 31, nil, 50),
		field(1, 12, months, 60), field(0, 6, weekdays, 60))
}

func instant(zone *time.Location) time.Time {
	from := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	until := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	at := time.Unix(from+random.Int63n(until-from), 0).In(zone)
	if random.Intn(3) == 0 {
		return at
	}
	_, change := at.ZoneBounds()
	if change.IsZero() || change.Unix() > until {
		return at
	}
	return change.Add(time.Duration(oneOf(between(-7200, 7200), between(-90000, 10000), between(-3, 3))) * time.Second)
}

func broken(text string) string {
	at := random.Intn(len(text) + 1)
	end := min(len(text), at+random.Intn(2))
	return text[:at] + oneOf("", "-", "/", ",", "60", " ", "x", "*", "@", "-1", "/0", "99999999999999999999", "+") + text[end:]
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i, name := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "= %s\n", name)
		for range cases*(i+1)/len(zones) - cases*i/len(zones) {
			text, at := schedule(), instant(zone)
			parsed, err := cron.ParseStandard("TZ=" + name + " " + text)
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(out, "%s\t%d\t", text, at.Unix())
			steps := []string{}
			for next := at; len(steps) < 3; {
				later := parsed.Next(next)
				if later.IsZero() {
					steps = append(steps, "-")
					break
				}
				steps = append(steps, fmt.Sprint(later.Unix()-next.Unix()))
				next = later
			}
			fmt.Fprint(out, strings.Join(steps, " "))
			fmt.Fprintln(out)
		}
	}
	fmt.Fprintln(out, "!")
	for count := 0; count < invalidCases; {
		text := broken(schedule())
		if _, err := cron.ParseStandard(text); err != nil {
			fmt.Fprintf(out, "%s\t%s\n", text, err)
			count++
		}
	}
}
