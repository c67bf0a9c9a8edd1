-- A note on the time line is marked in the charts as a change is, and nothing was changed: it is not verified, and is no clue to a cause.
alter table changes add column is_note boolean default false not null;
