-- Seconds between the approval that decided, by a person in the console, and the first claim (governor.usecases.take_back).
ALTER TABLE environments
    ADD COLUMN undo_seconds integer NOT NULL DEFAULT 5 CHECK (undo_seconds BETWEEN 0 AND 300);
