"""What every HTTP surface needs, whoever it answers: first lines, headers, cursors, amounts for people, safe CSV."""
